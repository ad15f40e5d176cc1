//! Tricks against allow-list, grants and variables, one row each: with the program listed, every one is asked about.
//!
//! The list holds the programs that the tricks abuse, by their real paths, so that only the trick itself stands between
//! the command and its run. A plain use of each program shows that the list works.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use openclaw_config::sections::{ExecAsk, ExecSecurity};
use openclaw_ports::stores::{ArgumentPattern, Grant};
use openclaw_types::{AgentId, SessionKey, SessionScope, UnixMillis};

use super::tests::{settings, strict};
use super::*;
use crate::command_line::{Carrier, LineInput, SearchPlace, locate, read};

mod repositories;

/// A folder with programs that are all listed.
struct Bench {
    _home: tempfile::TempDir,
    root: PathBuf,
}

/// What is on the list, what was granted, and what the call adds.
struct Given {
    allow: Vec<AllowEntry>,
    grants: Vec<Grant>,
    variables: AddedVariables,
    input: LineInput,
}

impl Default for Given {
    fn default() -> Self {
        Self {
            allow: Vec::new(),
            grants: Vec::new(),
            variables: AddedVariables::default(),
            input: LineInput::Closed,
        }
    }
}

const LISTED: &[&str] = &[
    "ls",
    "cat",
    "echo",
    "git",
    "tar",
    "find",
    "env",
    "xargs",
    "awk",
    "sed",
    "vim",
    "less",
    "man",
    "sh",
    "bash",
    "python3",
    "perl",
    "node",
    "ruby",
    "busybox",
    "sudo",
    "nohup",
    "timeout",
    "nice",
    "make",
    "rsync",
    "zip",
    "sort",
    "tcpdump",
    "rg",
    "fd",
    "npm",
    "npx",
    "go",
    "docker",
    "ssh",
    "ld-linux-x86-64.so.2",
    "watch",
    "script",
    "tee",
    "curl",
    "wget",
    "split",
    "gcc",
    "pip",
    "systemctl",
    "sqlite3",
    "openssl",
    "java",
    "php",
    "lua",
    "g++",
    "c++",
    "x86_64-linux-gnu-gcc-12",
    "perl5.36-x86_64-linux-gnu",
    "bash-static",
    "ssh-agent",
    "choom",
    "runcon",
    "podman",
    "shuf",
    "gpg",
    "ghci",
    "head",
    "vi",
    "rvim",
    "vimdiff",
    "nano",
    "emacs",
    "micro",
    "ed",
    "more",
    "zless",
    "pager",
    "editor",
    "info",
    "top",
    "smbclient",
    "visudo",
    "sensible-editor",
    "hg",
    "git-shell",
    "cp",
    "exiftool",
    "aria2c",
    "just",
    "conda",
    "mise",
    "rustup",
    "asdf",
    "pyenv",
    "pixi",
    "pdm",
    "hatch",
    "flatpak",
    "snap",
    "runc",
    "lxc",
    "mpv",
    "tshark",
];

impl Bench {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        for folder in ["bin", "work", "shadow"] {
            std::fs::create_dir(root.join(folder)).unwrap();
        }
        let bench = Self { _home: home, root };
        LISTED.iter().for_each(|name| bench.program(&format!("bin/{name}")));
        bench.program("work/ls");
        bench.program("shadow/ls");
        bench.program("shadow/evil");
        for script in ["run.py", "build.sh"] {
            std::fs::write(bench.root.join("work").join(script), "").unwrap();
        }
        symlink("/dev/stdin", bench.root.join("work/innocent.sh")).unwrap();
        symlink("/proc/self/fd", bench.root.join("work/files")).unwrap();
        symlink("build.sh", bench.root.join("work/link.sh")).unwrap();
        symlink("../shadow", bench.root.join("work/out")).unwrap();
        symlink("../shadow/later", bench.root.join("work/later")).unwrap();
        std::fs::create_dir(bench.root.join("work/below")).unwrap();
        bench
    }

    fn program(&self, path: &str) {
        let path = self.root.join(path);
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn verdict(&self, line: &str) -> ExecVerdict {
        self.verdict_with(line, &self.root.join("bin").display().to_string())
    }

    fn verdict_with(&self, line: &str, path: &str) -> ExecVerdict {
        let everything = AllowEntry { pattern: format!("{}/bin/*", self.root.display()) };
        let allow = self.listed().into_iter().chain([everything]).collect();
        self.decided(line, path, &Given { allow, ..Given::default() })
    }

    fn verdict_given(&self, line: &str, given: &Given) -> ExecVerdict {
        self.decided(line, &self.root.join("bin").display().to_string(), given)
    }

    /// The folder in which commands start, with what is in `bin`.
    fn place(&self, input: LineInput) -> SearchPlace {
        SearchPlace {
            path: self.root.join("bin").display().to_string(),
            directory: self.root.join("work"),
            base: self.root.join("work"),
            input,
            git_configs: vec![self.root.join(".gitconfig"), self.root.join(".config/git/config")],
        }
    }

    fn listed(&self) -> Vec<AllowEntry> {
        LISTED
            .iter()
            .map(|name| AllowEntry { pattern: format!("{}/bin/{name}", self.root.display()) })
            .collect()
    }

    fn decided(&self, line: &str, path: &str, given: &Given) -> ExecVerdict {
        let place = SearchPlace { path: path.to_owned(), ..self.place(given.input) };
        let reading = read(line, &self.root).and_then(|line| locate(line, &place));
        let agent = AgentId::main();
        decide(&Case {
            rules: &strict(ExecSecurity::Allowlist, ExecAsk::OnMiss),
            reading: &reading,
            allow: &given.allow,
            grants: &given.grants,
            safe_bins: &SafeBins::of(&settings()),
            variables: &given.variables,
            session: &SessionKey::new(&agent, SessionScope::Main),
            agent: &agent,
            home: &self.root,
            now: UnixMillis(0),
        })
    }
}

#[test]
fn what_is_written_stays_below_the_workspace_wherever_a_line_starts() {
    let bench = Bench::new();
    let place = SearchPlace { directory: bench.root.join("shadow"), ..bench.place(LineInput::Closed) };
    for line in ["tar -cf x ../work", "git clone https://example.org/a.git", "git init here"] {
        let located = locate(read(line, &bench.root).unwrap(), &place).unwrap();
        assert!(located.steps[0].carries.is_some(), "{line}");
    }
}

#[test]
fn plain_uses_of_listed_programs_run() {
    let bench = Bench::new();
    let rows = [
        "ls -la",
        "cat notes.txt",
        "echo 'a b'",
        "git status",
        "git log --oneline -n 5",
        "git",
        "git --version",
        "git --no-pager diff HEAD",
        "git commit -m 'fix: std::mem is not ext:: at all'",
        "git -C . branch",
        "git add a && git commit -m x && git push",
        "git status && git add -A",
        "cat a && git status",
        "tar -czf out.tgz src",
        "find . -name x",
        "ls | cat",
        "ls && cat a || echo no",
        "ls; cat a",
        "ls 2>/dev/null",
        "cd / && ls",
        "python3 run.py x",
        "bash build.sh",
        "sh ./link.sh",
        "sh ../work/build.sh x",
        "perl5.36-x86_64-linux-gnu run.py",
        "tar czf out.tgz Images",
        "tar tzf out.tgz",
        "tar --list -f /var/backups/out.tar",
        "tar -tf/var/backups/archive.tar",
        "tar -cf - src | cat",
        "tar -cf below/out.tar /var/log",
        "tar cbf 20 out.tar /var/log",
        "tar -cf ./12:00.tar src",
        "cd below && tar -rf out.tar a",
        "tar --create --exclude=target -f out.tar src",
        "git init here",
        "git worktree list",
        "git worktree add -b topic trees/topic",
        "git clone https://example.org/a.git below/here",
        "cd below && git clone https://example.org/a.git",
        "g++ -O2 -c x.cc",
        "docker ps -a",
        "systemctl status x",
        "shuf -n 5",
        "make test",
        "npm run build",
        "rg needle src",
        "sort",
        "curl https://example.org",
        "git clone --depth 1 -b main https://example.org/a.git here",
        "git clone git@example.org:a/b.git",
        "git fetch ssh://example.org/a main",
        "git remote -v",
        "git remote add origin https://example.org/a.git",
        "git log --remotes",
        "git commit -m remote && git push",
        "git archive HEAD",
        "just build",
        "rustup show",
        "conda list",
        "aria2c https://example.org/x",
    ];
    for line in rows {
        assert!(
            matches!(bench.verdict(line), ExecVerdict::Run(Basis::Listed { .. })),
            "{line:?}: {:?}",
            bench.verdict(line)
        );
    }
}

#[test]
fn tricks_against_the_list_are_asked_about() {
    let bench = Bench::new();
    #[rustfmt::skip]
    let rows = [
        // Another command behind, inside or beside the listed one.
        "ls; evil", "ls && evil", "ls || evil", "ls | evil", "ls & evil", "ls\nevil", "ls |& evil", "evil; ls", "ls\r\nevil",
        "ls $(evil)", "ls `evil`", "ls \"$(evil)\"", "ls \"`evil`\"", "cat <(evil)", "ls >(evil)", "(evil)", "{ evil; }",
        "ls ${IFS}x", "ls $((1))", "ls $'\\x3bevil'", "ls <<EOF\n$(evil)\nEOF", "ls <<< $(evil)", "ls \\\n; evil",
        "if ls; then evil; fi", "for a in b; do evil; done", "while ls; do evil; done", "f() { evil; }; f", "ls # ; evil",
        "! ls", "coproc ls", "eval ls", "exec ls", ". ./x", "source x", "command ls", "alias ls=evil", "trap evil EXIT",
        // What the shell makes of the words.
        "ls *", "ls ?", "ls [a-z]", "ls {a,b}", "ls ~root", "ls a=~/x", "$0", "\"$SHELL\"", "l$x\\s",
        // Variables and files that change what runs.
        "PATH=/tmp ls", "LD_PRELOAD=x ls", "IFS=x ls", "ls > ~/.profile", "cat < /etc/shadow", "ls >> x", "cat 0<>x",
        "export PATH=/tmp", "cd /tmp; ls", "cd /tmp || ls", "pushd x && ls",
        // Programs that run others.
        "env evil", "env X=1 ls", "sudo ls", "xargs evil", "echo evil | xargs ls", "nohup evil", "timeout 5 evil", "nice evil",
        "busybox sh", "busybox evil", "watch evil", "script -c evil", "npx evil", "ssh host evil", "ld-linux-x86-64.so.2 /bin/x",
        "sh -c evil", "bash -c 'evil'", "bash -lc evil", "echo evil | sh", "sh", "bash -s", "sh /dev/stdin", "bash --rcfile x",
        "python3 -c 'import os'", "python3", "python3 -", "python3 -m http.server", "python3 -ic x", "perl -e 1", "perl -pe 1 f",
        "node -e 1", "node --eval=1", "node --require x", "ruby -e 1", "php -r 1", "lua -e 1", "sqlite3 db '.shell evil'",
        // Options that run others.
        "find . -exec evil {} +", "find . -exec evil ';'", "find . -execdir evil ';'", "find . -ok evil ';'", "find . -delete",
        "find . -fprint x", "git -c alias.x='!evil' x", "git --exec-path=/tmp status", "git -p log", "git grep -Oevil x",
        "git --config-env=a=b status", "git clone ext::evil", "git rebase -x evil", "git bisect run evil",
        "git submodule foreach evil", "git difftool -x evil", "git fetch --upload-pack=evil", "git config alias.x '!evil'",
        "tar --checkpoint=1 --checkpoint-action=exec=evil", "tar --to-command=evil -xf a", "tar --to-comm=evil -xf a",
        "tar -I evil -cf a b", "tar -cIevil a b", "tar --use-compress-program evil -cf a b", "rsync -e evil a b",
        "rsync --rsh=evil a b", "zip -T -TT evil a b", "sort --compress-program=evil", "sort -o /etc/x", "split --filter=evil x",
        "tcpdump -z evil", "rg --pre evil x", "fd x -x evil", "fd -X evil", "npm exec evil", "npm --script-shell=evil run x",
        "go run x.go", "go test -exec evil", "make --eval=x", "make SHELL=/tmp/evil", "gcc -wrapper evil x.c", "gcc @x",
        "docker run x", "docker exec x evil", "curl -K x", "wget --use-askpass=evil x", "wget -e x y", "openssl engine x",
        "systemctl edit x", "java -agentpath:x", "pip install x",
        "tar cIf evil o.tar a", "tar xFf evil o.tar", "tar -cf o.tar -T list", "tar cTf list o.tar",
        "docker create -v /:/h x", "docker start x", "docker container exec x evil", "docker build .", "docker -H tcp://x ps",
        "podman create x", "podman start x", "systemctl link /tmp/x.service", "systemctl start x", "systemctl enable --now x",
        "systemctl --user restart x", "g++ -wrapper evil x.cc", "c++ -wrapper evil x.cc", "gcc --specs=x a.c",
        "x86_64-linux-gnu-gcc-12 -wrapper evil x.c", "g++ -fplugin=./x.so a.cc", "make CC=evil", "make test CFLAGS=x",
        // Options that write a file.
        "git log --output=/home/u/.bashrc", "git diff --outp=x", "git archive -o x HEAD", "git format-patch -o /etc x",
        "git bundle create x HEAD", "curl -o x https://e", "curl -fsSLo x https://e", "curl -O https://e/x",
        "curl --output x https://e", "curl --output-dir /etc https://e", "curl -D x https://e", "curl -c x https://e",
        "curl --trace x https://e", "curl -w '%output{x}' https://e", "curl --unix-socket /run/docker.sock http://x",
        "wget -O x https://e", "wget -qO x https://e", "wget --output-document=x https://e", "wget -P /etc https://e",
        "wget -a x https://e", "wget -c https://e/x", "wget -N https://e/x", "shuf -o x", "gpg --output x -d y",
        "openssl rand -out x 5", "docker save -o x y", "rsync --log-file=x a b",
        "tar -xf a.tar", "tar xf a.tar", "tar -xzf a.tgz", "tar xzf a.tgz", "tar --extract -f a.tar", "tar --extr -f a.tar",
        "tar --get --file=a.tar", "tar -f a.tar -x", "tar -zvxf a.tgz", "tar -czf out.tgz -C / etc", "tar cCf / out.tar etc",
        "tar -cf /etc/x a", "tar cf /etc/x a", "tar -cf/etc/x a", "tar -czvf ../x.tgz a", "tar -c a -f ~/x", "tar -cf out/x a",
        "tar -cf later a", "tar -cf below/../../x a", "tar --create --file=/etc/x a", "tar --cr --file /etc/x a", "tar cbf 20 /etc/x a",
        "tar cfb /etc/x 20 a", "tar cvXf b /etc/x a", "tar -cf x -f /etc/x a", "tar -rf /etc/x a", "tar uf ../x a", "tar -Af ../x a.tar",
        "tar --append -f ../x a", "tar --update --file=../x a", "tar --concatenate -f ../x a", "tar --cat -f ../x a",
        "tar --delete -f ../x a", "cd / && tar -cf x etc", "tar -cf evil:x a", "tar cf ana@evil:/x a", "tar -tf evil:x",
        "tar -cg /etc/x -f a b", "tar cgf /etc/x a b", "tar --listed-incremental=/etc/x -cf a b", "tar --listed /etc/x -cf a b",
        "tar --volno-file=/etc/x -cf a b", "tar -cM -L 10 -f a b", "tar cMf a b", "tar --multi-volume -cf a b",
        "tar -cL 10 -f a b", "tar --tape-length=10 -cf a b", "tar cLf 10 a b", "tar -c -W use-compress-program=./evil -f a b",
        "tar -c -Wfile=/etc/x b", "tar --remove-files -cf a /etc/x", "tar --set-mtime-command=evil -cf a b",
        "tar --directory=/ -cf a b", "tar -cPf a b", "tar --absolute-names -cf a b", "tar -tf a --one-top-level=/etc",
        "git apply --unsafe-paths x.patch", "git apply --unsafe x.patch", "git apply --unsafe-paths --directory=/ x",
        "git clone https://e/x /etc/x", "git clone https://e/x ../x", "git clone https://e/x ~/x", "git clone https://e/x a/../../x",
        "git clone https://e/x out/x", "git clone --separate-git-dir=/tmp/x https://e/x here", "git -C / clone https://e/x",
        "git -C .. clone https://e/x work2", "cd / && git clone https://e/x", "git worktree add ../x", "git worktree add -f /tmp/x main",
        "git worktree add ~/x", "git worktree move here ../x", "git init /tmp/x", "git init --separate-git-dir=../x here",
        // Code that does not come from a file.
        "echo evil | sh //dev/stdin", "echo evil | sh /./dev/stdin", "echo evil | sh ../../../../../../../../dev/stdin",
        "echo evil | bash innocent.sh", "echo evil | sh files/0", "echo evil | sh /dev/../dev/fd/0", "bash missing.sh",
        "echo evil | python3 /proc/self/fd/0", "bash .", "perl5.36-x86_64-linux-gnu -e 1", "bash-static -c evil",
        "ssh-agent sh", "choom -- sh", "runcon x sh", "ghci build.sh -e x",
        // Programs with a way out.
        "awk 'BEGIN{system(\"evil\")}'", "sed -n '1e evil' x", "sed 's/a/b/e' x", "vim -c '!evil'", "less x", "man ls",
        // Editors, pagers and others that take orders from keys, by every name.
        "vi notes.txt", "rvim notes.txt", "vimdiff a b", "nano notes.txt", "emacs -nw x", "micro x", "ed x", "more x", "zless x",
        "pager x", "editor x", "info ls", "top", "smbclient //h/s", "visudo", "sensible-editor x", "hg status", "git-shell x",
        // Ways around a plain git.
        "git st", "git lg --oneline", "git frobnicate", "git -c core.pager=evil log", "git --exec-path status",
        "git --git-dir=evil status", "git --work-tree=/ status", "git --namespace=x status", "git --bare status",
        "git --super-prefix=x status", "git clone --config core.fsmonitor=evil x", "git clone --recurse-submodules x", "git status --ignore-submodules=none", "git diff --submodule=diff",
        "git add inner && git add -A", "git reset && git stash",
        "git clone -c core.hooksPath=x y", "git archive --remote=ext::evil HEAD", "git ls-remote ext::evil",
        "git fetch fd::7", "git push evil::x", "git pull --upload-pack evil", "git log --ext-diff -p", "git show --textconv",
        "git -C ../shadow/missing status", "cp x .git/config && git status", "tee .git/config && git status",
        "tar -xf a.tar && git status", "echo x | tee .git/hooks/y && git commit -m z", "cat .git/config; git status",
        // Another repository on this machine, which runs hooks and helpers of its own.
        "git push ../evil HEAD:refs/heads/x", "git push evil", "git push file:///tmp/evil", "git push /tmp/evil", "git fetch ../evil",
        "git push --repo ../evil", "git push --repo=../evil", "git push --rep=../evil", "git pull ./evil main", "git clone ../evil",
        "git clone evil", "git clone -b https://e/x ../evil", "git clone --reference ../evil https://e/x", "git ls-remote ../evil",
        "git fetch --multiple https://e/x ../evil", "git fetch --refmap https://e/x evil", "git fetch -- ../evil", "git fetch x/y:z",
        "git archive --remote=../evil --format=x HEAD", "git archive --remo ../evil HEAD", "git remote add -f x ../evil",
        "git remote add --fetch x ../evil", "git remote update", "git remote show ../evil", "git remote -v update",
        "git remote add evil ../evil && git fetch", "git remote set-url origin ../evil && git push",
        "git -C . remote set-url origin ../evil && git push",
        // Managers, containers and players.
        "exiftool -if 'system(1)' x", "exiftool '-comment<${filename;system(1)}' x", "aria2c --on-download-complete=evil https://e",
        "aria2c --on-download-comp evil https://e", "just --shell evil", "just -f x", "just cc=evil build", "conda run evil",
        "mise exec -- evil", "mise x -- evil", "rustup run stable evil", "rustup toolchain link x .", "asdf exec evil",
        "pyenv exec evil", "pixi run evil", "pdm run evil", "hatch run evil", "flatpak run x", "snap run x", "runc exec x evil",
        "lxc exec x evil", "mpv --script=evil.lua x", "mpv --scripts=evil.lua x", "tshark -X lua_script:evil.lua",
        // Names.
        "./ls", "../shadow/ls", "/tmp/ls", "LS", "l\u{455}", "ls\u{200b}", "\u{ff4c}s", "missing", "'ls '", "ls\u{a0}-l",
        "\\ls\\ ", "ls\u{0}", "ls \u{202e}cod.exe",
    ];
    assert!(rows.len() > 60, "{}", rows.len());
    for line in rows {
        assert!(matches!(bench.verdict(line), ExecVerdict::Ask(_)), "{line:?}: {:?}", bench.verdict(line));
    }
}

#[test]
fn a_program_that_shadows_a_listed_one_is_another_program() {
    let bench = Bench::new();
    let path =
        |first: &str| format!("{}:{}", bench.root.join(first).display(), bench.root.join("bin").display());
    assert!(matches!(bench.verdict_with("ls", &path("shadow")), ExecVerdict::Ask(AskReason::Unlisted(_))));
    let empty_first = format!(":{}", bench.root.join("bin").display());
    assert!(
        matches!(bench.verdict_with("ls", &empty_first), ExecVerdict::Run(_)),
        "an empty place is not the current folder"
    );
    assert!(matches!(
        bench.verdict_with("ls", &format!(".:{}", bench.root.join("bin").display())),
        ExecVerdict::Run(_)
    ));
}

#[test]
fn a_link_in_a_listed_folder_counts_as_what_it_leads_to() {
    let bench = Bench::new();
    symlink(bench.root.join("shadow/evil"), bench.root.join("bin/innocent")).unwrap();
    assert!(matches!(bench.verdict("innocent"), ExecVerdict::Ask(_)), "a link out of the listed folder");
    std::fs::remove_file(bench.root.join("bin/ls")).unwrap();
    symlink(bench.root.join("shadow/evil"), bench.root.join("bin/ls")).unwrap();
    assert!(matches!(bench.verdict("ls"), ExecVerdict::Ask(_)), "a listed program was swapped for a link");
    symlink(Path::new("/bin/sh"), bench.root.join("bin/tool")).unwrap();
    assert!(matches!(bench.verdict("tool -c evil"), ExecVerdict::Ask(_)), "another name for a shell");
    symlink(bench.root.join("bin/busybox"), bench.root.join("bin/date")).unwrap();
    assert!(matches!(bench.verdict("date"), ExecVerdict::Ask(_)), "another name for a program of many names");
}

#[test]
fn an_entry_that_leaves_the_name_open_covers_no_program_that_can_run_others() {
    let bench = Bench::new();
    for name in ["*", "**", "?*", "[a-z]*"] {
        let pattern = format!("{}/bin/{name}", bench.root.display());
        let given = Given { allow: vec![AllowEntry { pattern }], ..Given::default() };
        for line in
            ["bash build.sh", "python3 run.py", "git status", "tar -tf x", "find . -name x", "env", "make"]
        {
            assert!(matches!(bench.verdict_given(line, &given), ExecVerdict::Ask(_)), "{name} {line}");
        }
    }
    let pattern = format!("{}/b*/git", bench.root.display());
    let given = Given { allow: vec![AllowEntry { pattern }], ..Given::default() };
    assert!(matches!(bench.verdict_given("git status", &given), ExecVerdict::Run(_)));
    let given = Given { allow: vec![AllowEntry { pattern: "*".to_owned() }], ..Given::default() };
    assert!(
        matches!(bench.verdict_given("bash build.sh", &given), ExecVerdict::Run(_)),
        "a bare star is everything"
    );
}

#[test]
fn variables_of_a_call_are_never_listed_unless_they_change_nothing_but_looks() {
    let bench = Bench::new();
    #[rustfmt::skip]
    let rows = [
        ("tar -cf o.tar a", "TAR_OPTIONS", "--checkpoint-action=exec=evil"), ("git status", "XDG_CONFIG_HOME", "/tmp/x"),
        ("make test", "MAKEFLAGS", "--eval=x"), ("make", "MAKEFILES", "x"), ("rg x", "RIPGREP_CONFIG_PATH", "x"),
        ("openssl version", "OPENSSL_CONF", "x"), ("go vet", "GOFLAGS", "-toolexec=evil"), ("rsync a b", "RSYNC_RSH", "evil"),
        ("wget x", "WGETRC", "x"), ("curl x", "CURL_HOME", "/tmp"), ("php run.py", "PHPRC", "/tmp"),
        ("docker ps", "DOCKER_HOST", "tcp://x"), ("ls", "FOO", "bar"), ("head -n 1", "FOO", "bar"), ("ls", "lang", "C"),
        ("ls", "LC_../x", "C"), ("ls", "LANG", "../../tmp/x"), ("ls", "LANGUAGE", "/tmp/x"), ("ls", "TZ", "/etc/shadow"),
        ("ls", "TZ", ":/etc/shadow"), ("ls", "TERM", "a/b"), ("ls", "TZ", "a/../../b"), ("ls", "NO_COLOR", "$(x)"),
    ];
    let given = |name: &str, value: &str| Given {
        allow: bench.listed(),
        variables: AddedVariables::of(&BTreeMap::from([(name.to_owned(), value.to_owned())])),
        ..Given::default()
    };
    for (line, name, value) in rows {
        let verdict = bench.verdict_given(line, &given(name, value));
        assert_eq!(verdict, ExecVerdict::Ask(AskReason::Variables(name.to_owned())), "{line} {name}={value}");
    }
    for (name, value) in
        [("LANG", "de_DE.UTF-8"), ("LC_ALL", "C"), ("TZ", "Europe/Berlin"), ("NO_COLOR", "1"), ("CI", "true")]
    {
        assert!(
            matches!(bench.verdict_given("ls", &given(name, value)), ExecVerdict::Run(_)),
            "{name}={value}"
        );
    }
}

#[test]
fn a_grant_for_a_call_with_variables_holds_for_the_same_variables_alone() {
    let bench = Bench::new();
    let agent = AgentId::main();
    let session = SessionKey::new(&agent, SessionScope::Main);
    let place = bench.place(LineInput::Closed);
    let line = locate(read("make test", &bench.root).unwrap(), &place).unwrap();
    let with = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        AddedVariables::of(&pairs.collect())
    };
    let granted = |variables: &AddedVariables| {
        let scope = GrantScope::default();
        let order = GrantFor {
            agent: &agent,
            session: &session,
            by: "ana",
            now: UnixMillis(0),
            scope: &scope,
            variables,
        };
        grants_for(&line, &order)
    };
    let runs = |grants: &[Grant], variables: AddedVariables| {
        let given = Given { grants: grants.to_vec(), variables, ..Given::default() };
        matches!(bench.verdict_given("make test", &given), ExecVerdict::Run(_))
    };
    let bound = granted(&with(&[("MODE", "a"), ("LANG", "C")]));
    assert!(runs(&bound, with(&[("MODE", "a")])), "harmless ones do not count");
    for others in
        [&[][..], &[("MODE", "b")], &[("MODES", "a")], &[("MODE", "a"), ("X", "")], &[("MOD", "Ea")]]
    {
        assert!(!runs(&bound, with(others)), "{others:?}");
    }
    let free = granted(&AddedVariables::default());
    assert!(runs(&free, with(&[("TZ", "UTC")])));
    assert!(!runs(&free, with(&[("MODE", "a")])));
    let wide = free.iter().map(|grant| Grant { arguments: ArgumentPattern::Any, ..grant.clone() });
    let wide: Vec<Grant> = wide.map(|grant| Grant { directory: None, ..grant }).collect();
    assert!(!runs(&wide, with(&[("MAKEFLAGS", "--eval=x")])));
}

#[test]
fn a_scope_is_as_wide_as_the_command_lets_it() {
    let bench = Bench::new();
    bench.program("bin/plain");
    let place = bench.place(LineInput::Closed);
    let some = AddedVariables::of(&BTreeMap::from([("MODE".to_owned(), "a".to_owned())]));
    let none = AddedVariables::default();
    let rows = [
        ("plain a b", &none, GrantWidth::Wide),
        ("plain a | ls", &none, GrantWidth::Wide),
        ("plain a b", &some, GrantWidth::Exact),
        ("git log", &none, GrantWidth::Leading),
        ("plain a | git log", &none, GrantWidth::Leading),
        ("git log --output=x", &none, GrantWidth::Exact),
        ("bash build.sh", &none, GrantWidth::Exact),
        ("env x", &none, GrantWidth::Exact),
        ("plain a; sh -c x", &none, GrantWidth::Exact),
        ("missing", &none, GrantWidth::Nothing),
        ("plain $x", &none, GrantWidth::Nothing),
    ];
    for (line, variables, expected) in rows {
        let reading = read(line, &bench.root).and_then(|line| locate(line, &place));
        assert_eq!(latitude(&reading, variables), expected, "{line}");
    }
    let leading = GrantWords::Leading(std::num::NonZeroUsize::MIN);
    let narrow = GrantScope {
        holder: GrantHolder::Session,
        lasts: Some(Duration::from_secs(9)),
        ..GrantScope::default()
    };
    let rows = [
        (GrantScope::default(), [true, true, true, true]),
        (narrow, [false, true, true, true]),
        (GrantScope { words: leading, ..narrow }, [false, false, true, true]),
        (GrantScope { words: GrantWords::Any, ..narrow }, [false, false, false, true]),
        (GrantScope { folder: GrantFolder::Anywhere, ..narrow }, [false, false, false, true]),
    ];
    for (scope, expected) in rows {
        let fits = [GrantWidth::Nothing, GrantWidth::Exact, GrantWidth::Leading, GrantWidth::Wide]
            .map(|wide| scope.fits(wide));
        assert_eq!(fits, expected, "{scope:?}");
    }
}

#[test]
fn what_follows_its_input_is_never_allowed_for_good_while_it_can_read() {
    let bench = Bench::new();
    let place = |input| bench.place(input);
    let (agent, none) = (AgentId::main(), AddedVariables::default());
    let session = SessionKey::new(&agent, SessionScope::Main);
    let granted = |line: &str| {
        let scope = GrantScope::default();
        let order = GrantFor {
            agent: &agent,
            session: &session,
            by: "ana",
            now: UnixMillis(0),
            scope: &scope,
            variables: &none,
        };
        grants_for(&locate(read(line, &bench.root).unwrap(), &place(LineInput::Closed)).unwrap(), &order)
    };
    let runs = |line: &str, grants: &[Grant], input| {
        let given = Given { grants: grants.to_vec(), allow: bench.listed(), input, ..Given::default() };
        matches!(bench.verdict_given(line, &given), ExecVerdict::Run(_))
    };
    use LineInput::{Closed, Open, Terminal};
    for line in
        ["vim notes.txt", "less notes.txt", "man ls", "sh", "python3", "sqlite3 db", "bash -i", "ssh host"]
    {
        let grants = granted(line);
        let seen = [Closed, Open, Terminal].map(|input| runs(line, &grants, input));
        assert_eq!(seen, [true, false, false], "{line}");
        let wide = locate(read(line, &bench.root).unwrap(), &place(Terminal));
        assert_eq!(latitude(&wide, &none), GrantWidth::Nothing, "{line}");
    }
    // A shell that was allowed behind one program is not allowed behind another.
    let grants = granted("sh");
    assert!(!runs("cat evil | sh", &grants, Closed));
    assert!(runs("cat evil; sh </dev/null", &grants, Closed));
    for line in ["awk '{print $1}'", "sed s/a/b/"] {
        let grants = granted(line);
        assert!(runs(&format!("cat x | {line}"), &grants, Closed), "{line} only works on what it reads");
    }
    assert!(runs("bash build.sh", &[], Terminal), "a script decides itself what its keys mean");
    assert!(runs("ls", &[], Terminal));
}
