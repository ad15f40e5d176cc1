//! Programs that run what they are given: shells, interpreters with code on the command line, wrappers, editors,
//! pagers, and tools with an option that names another program.
//!
//! Options that write a file count as well: a file written in the right place runs later. An allow-list entry or a wide
//! grant for such a program never covers such a use; a grant for exactly these words may. The tables are data; a use that
//! is missing here is a use that an entry for the program allows.

/// Why a program may run something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Carrier {
    /// It exists to run other programs or code.
    #[error("this program runs other programs or code that it is given")]
    Always,
    /// An interpreter without a script file first.
    #[error("this interpreter is given code, options or its input instead of a script file")]
    Code,
    /// An option or a word that names something to run, or a place to write to.
    #[error("one of its options can run another program or write any file")]
    Option,
    /// A repository or a configuration whose files name something to run, or a word that may be an alias.
    #[error(
        "a repository it works on or reaches on this machine, a configuration or an alias can name programs to run"
    )]
    Repository,
}

/// Programs that exist to run others, to edit, to page, or to follow orders with a way out to the shell.
#[rustfmt::skip]
const ALWAYS: &[&str] = &[
    // Wrappers.
    "env", "sudo", "doas", "su", "runuser", "pkexec", "xargs", "parallel", "nohup", "nice", "ionice", "timeout",
    "gtimeout", "stdbuf", "setsid", "time", "chroot", "watch", "entr", "strace", "ltrace", "gdb", "lldb", "valgrind",
    "script", "scriptreplay", "unbuffer", "rlwrap", "tmux", "screen", "dtach", "abduco", "systemd-run", "at", "batch",
    "crontab", "flock", "unshare", "nsenter", "chrt", "taskset", "setpriv", "setarch", "linux32", "linux64", "prlimit",
    "numactl", "firejail", "bwrap", "capsh", "logsave", "run-parts", "start-stop-daemon", "ssh", "mosh", "rsh", "nc",
    "ncat", "netcat", "socat", "telnet", "busybox", "toybox", "command", "exec", "eval", "builtin", "source", "npx",
    "bunx", "pnpx", "uvx", "pipx", "nix", "nix-shell", "direnv", "open", "xdg-open", "gio", "fzf", "perf", "faketime",
    "eatmydata", "proot", "fakeroot", "fakechroot", "cpulimit", "softlimit", "chpst", "multitool", "ld.so",
    "ssh-agent", "sshpass", "autossh", "choom", "runcon", "sg", "newgrp", "setuidgid", "envdir", "envuidgid", "setlock",
    "tini", "dumb-init", "catatonit", "gosu", "su-exec", "torsocks", "torify", "tsocks", "proxychains", "cgexec", "trickle",
    "systemd-nspawn", "systemd-inhibit", "systemd-cat", "machinectl", "busctl", "gdbus", "dbus-send", "dbus-run-session",
    "dbus-launch", "launchctl", "xterm", "x-terminal-emulator", "gnome-terminal", "konsole", "xvfb-run", "xinit", "startx",
    "wine", "mono", "dotnet", "hyperfine", "chronic", "ifne", "pee", "vipe", "zrun", "mispipe", "nsjail", "minijail", "i386",
    "i686", "x86_64", "uname26", "gdbserver", "cgdb", "rr", "bpftrace", "trace-cmd", "dtrace", "dtruss", "heaptrack",
    "hg", "jj", "bzr", "brz", "fossil", "cvs", "git-shell", "git-upload-pack", "git-receive-pack", "git-upload-archive",
    "gitk", "scalar", "cu", "tip", "minicom", "picocom", "smbclient", "tmate", "byobu", "zellij", "run-one", "sudoedit",
    "visudo", "vipw", "vigr", "rlogin", "rexec", "ansible", "rake", "gunicorn", "uwsgi", "powershell", "cmd", "wsl",
    // Languages whose program is an argument.
    "awk", "gawk", "mawk", "nawk", "original-awk", "sed", "gsed", "m4", "dc", "gnuplot", "octave", "R", "sqlite3",
    "psql", "mysql", "mariadb", "redis-cli", "mongosh", "osascript", "deno", "bun", "expect", "jshell", "jrunscript",
    "erl", "ghci", "runghc", "sbcl", "swift", "scala", "kotlin", "irb", "pry", "ipython", "bpython", "ptpython", "jupyter",
    "gs", "ghostscript", "luatex", "lualatex", "tcc", "exiftool",
    // Editors and pagers.
    "vi", "vim", "vim.basic", "vim.tiny", "nvim", "view", "vimdiff", "ex", "ed", "red", "emacs", "nano", "pico", "rnano",
    "joe", "mcedit", "mc", "less", "more", "most", "pg", "man", "info", "lesspipe", "top", "htop", "nnn", "ranger",
    "rvim", "rview", "gvim", "gview", "evim", "eview", "vimtutor", "nvi", "elvis", "vile", "jed", "jmacs", "jstar", "jpico",
    "ne", "micro", "hx", "helix", "kak", "kakoune", "mg", "zile", "ee", "aee", "dte", "tilde", "editor", "select-editor",
    "sensible-editor", "sensible-pager", "sensible-browser", "pager", "lv", "slsh", "zless", "zmore", "bzless", "bzmore",
    "xzless", "xzmore", "lzless", "lzmore", "zstdless", "pinfo", "vifm", "lf", "yazi", "broot", "gitui", "lazydocker",
    "k9s", "irssi", "weechat", "tin", "alpine", "newsboat", "aptitude", "btop", "atop", "tig", "lazygit", "cscope", "ncdu", "ftp", "lftp", "mail", "mailx", "mutt", "lynx", "elinks", "links", "w3m",
];

/// Interpreters: harmless to list only with a script file as the first word.
const INTERPRETERS: &[&str] = &[
    "sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "pwsh", "elvish",
    "yash", "oksh", "loksh", "posh", "sash", "bashdb", "nu", "xonsh", "python", "pypy", "perl", "ruby",
    "node", "nodejs", "php", "lua", "luajit", "tclsh", "wish", "Rscript", "guile", "scheme", "racket",
    "clisp", "julia", "elixir", "escript", "groovy", "ts-node", "tsx", "ocaml",
];

/// What compilers take that runs another program or loads code.
#[rustfmt::skip]
const COMPILER: &[&str] = &[
    "-wrapper", "-fplugin", "-specs", "-B", "@", "-Xclang", "-fpass-plugin", "-fuse-ld", "--ld-path", "--config",
    "-iplugindir", "-Wl", "-Xlinker", "-load",
];

/// Orders to a container engine that run something, or hand it a part of this machine.
#[rustfmt::skip]
const CONTAINERS: &[&str] = &[
    "exec", "run", "create", "start", "restart", "unpause", "attach", "build", "builder", "buildx", "bake", "load", "import",
    "commit", "cp", "save", "export", "update", "compose", "plugin", "service", "stack", "swarm", "secret", "volume",
    "container", "image", "context", "system", "machine", "unshare", "mount", "play", "kube", "generate", "pod", "quadlet",
    "-H", "--host", "--config", "-c", "--context", "-v", "--volume", "--volumes-from", "--mount", "--privileged", "--device",
    "--url", "--connection", "--root", "--runtime", "--hooks-dir", "-o", "--output", "--cidfile", "--iidfile",
];

#[rustfmt::skip]
const TAR: &[&str] = &[
    "--checkpoint", "--checkpoint-action", "--to-command", "-I", "--use-compress-program", "--rsh-command", "-F",
    "--info-script", "--new-volume-script", "--rmt-command", "-T", "--files-from", "--index-file", "--volno-file",
    // Between two volumes a person is asked what to do, and may answer with a shell or another file. A length means volumes.
    "-M", "--multi-volume", "-L", "--tape-length",
    // A longer option in disguise, for one tar; takes files away; runs a program, in newer ones.
    "-W", "--remove-files", "--set-mtime-command",
    // What comes out of an archive may be any file, wherever a link or a name in it leads.
    "-x", "--extract", "--get", "-C", "--directory", "--cd", "-P", "--absolute-names", "--absolute-paths", "--one-top-level",
];

/// Orders to make that run what they are given. A variable on its line replaces any program that a rule names.
const MAKE: &[&str] =
    &["--eval", "-E", "-f", "--file", "--makefile", "-C", "--directory", "-I", "--include-dir"];

/// The same for just, whose recipes are a person's like those of make.
#[rustfmt::skip]
const JUST: &[&str] = &[
    "-f", "--justfile", "-d", "--working-directory", "-c", "--command", "--shell", "--shell-arg", "--set", "-e", "--edit",
    "--choose", "--chooser", "--dotenv-path", "--dotenv-filename", "-g", "--global-justfile", "--init", "--tempdir",
];

/// Orders to managers of languages that run a program in an environment of theirs, or say what runs from now on.
#[rustfmt::skip]
const MANAGERS: &[&str] = &[
    "run", "r", "exec", "x", "shell", "activate", "init", "hook-env", "config", "settings", "set", "plugin", "plugins",
    "plugin-add", "toolchain", "override", "tasks", "task", "watch", "cmd", "global", "use", "test", "fmt", "env",
];

/// Tools with options or words that name something to run, or a file to write.
#[rustfmt::skip]
const OPTIONS: &[(&str, &[&str])] = &[
    ("find", &["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"]),
    ("fd", &["-x", "-X", "--exec", "--exec-batch"]),
    ("fdfind", &["-x", "-X", "--exec", "--exec-batch"]),
    ("rg", &["--pre", "--hostname-bin", "-z", "--search-zip"]),
    ("ag", &["--pager"]),
    ("ack", &["--pager", "--output"]),
    ("bat", &["--pager"]),
    ("git", &["-c", "--config-env", "--exec-path", "-p", "--paginate", "--upload-pack", "--receive-pack", "--exec", "-x",
        "-O", "--open-files-in-pager", "--ext-diff", "--textconv", "-u", "--extcmd", "--template", "--git-dir", "--work-tree",
        "--config", "--recurse-submodules", "--recursive", "--ignore-submodules", "--submodule", "-o", "--output", "--output-directory", "--export-marks", "--import-marks",
        "--unsafe-paths",
        "config", "bisect", "submodule", "filter-branch", "difftool", "mergetool", "rebase", "hook", "daemon", "help",
        "send-email", "imap-send", "instaweb", "web--browse", "remote-ext", "remote-fd", "shell", "credential",
        "credential-store", "credential-cache", "maintenance", "bundle", "fast-import", "fast-export", "p4", "svn",
        "cvsimport", "cvsserver", "archimport", "gui", "citool", "ext::"]),
    ("svn", &["--diff-cmd", "--diff3-cmd", "--editor-cmd", "--config-option", "--config-dir"]),
    ("tar", TAR),
    ("gtar", TAR),
    ("gnutar", TAR),
    ("bsdtar", TAR),
    ("cpio", &["--rsh-command", "--rmt-command"]),
    ("zip", &["-T", "-TT", "--test", "--unzip-command"]),
    ("rsync", &["-e", "--rsh", "--rsync-path", "--config", "--log-file", "--write-batch", "--only-write-batch",
        "--read-batch", "-M", "--remote-option", "--daemon"]),
    ("scp", &["-S", "-o", "-F", "-J"]),
    ("sftp", &["-S", "-o", "-F", "-J", "-b", "-D", "-s"]),
    ("ssh-keygen", &["-D", "-w"]),
    ("sort", &["--compress-program", "-o", "--output", "-T"]),
    ("split", &["--filter"]),
    ("tcpdump", &["-z", "-w", "-F", "-r"]),
    ("nmap", &["--script", "--interactive", "-iL", "-oN", "-oA", "-oX", "-oG", "-oS", "-oM", "--datadir", "--servicedb",
        "--versiondb", "--resume", "--stylesheet"]),
    ("wget", &["--use-askpass", "-e", "--execute", "--config", "-i", "--input-file", "--post-file", "--body-file",
        "-O", "--output-document", "-o", "--output-file", "-a", "--append-output", "-P", "--directory-prefix", "-c",
        "--continue", "-N", "--timestamping", "-r", "--recursive", "-m", "--mirror", "-x", "--force-directories",
        "--save-cookies", "--hsts-file", "--warc-file", "--rejected-log", "--unlink", "--default-page",
        "--content-disposition", "--trust-server-names", "-K", "--backups", "--start-pos"]),
    ("curl", &["-K", "--config", "-o", "--output", "--output-dir", "-O", "--remote-name", "--remote-name-all", "-J",
        "--remote-header-name", "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--trace-ascii", "--stderr",
        "--etag-save", "--hsts", "--alt-svc", "--libcurl", "--ssl-sessions", "-w", "--write-out", "--expand", "--engine",
        "--unix-socket", "--abstract-unix-socket"]),
    ("make", MAKE),
    ("bmake", MAKE),
    ("gmake", MAKE),
    ("cmake", &["-P", "-E", "-C"]),
    ("ninja", &["-f", "-C"]),
    ("npm", &["-c", "--call", "--script-shell", "--node-options", "exec", "x", "explore", "edit", "config"]),
    ("yarn", &["--script-shell", "--node-options", "exec", "dlx", "node", "config"]),
    ("pnpm", &["-c", "--shell-mode", "--script-shell", "exec", "dlx", "config"]),
    ("uv", &["run", "tool"]),
    ("poetry", &["run", "shell"]),
    ("pipenv", &["run", "shell"]),
    ("bundle", &["exec", "console", "open"]),
    ("cargo", &["--config", "-Z"]),
    ("go", &["-exec", "-toolexec", "-overlay", "run", "generate", "tool", "env"]),
    ("gcc", COMPILER),
    ("g++", COMPILER),
    ("cc", COMPILER),
    ("c++", COMPILER),
    ("c89", COMPILER),
    ("c99", COMPILER),
    ("cpp", COMPILER),
    ("gfortran", COMPILER),
    ("gccgo", COMPILER),
    ("gdc", COMPILER),
    ("gnatmake", COMPILER),
    ("clang", COMPILER),
    ("clang++", COMPILER),
    ("clang-cpp", COMPILER),
    ("clang-cl", COMPILER),
    ("ld", &["-plugin", "--plugin", "@"]),
    ("apt", &["-o", "--option", "-c", "--config-file", "edit-sources"]),
    ("apt-get", &["-o", "--option", "-c", "--config-file"]),
    ("dpkg", &["--pre-invoke", "--post-invoke", "--admindir", "--root", "-i", "--install"]),
    ("rpm", &["--eval", "-E", "--pipe", "--define", "-D", "--load", "--macros"]),
    ("pip", &["--python", "--config-settings", "--global-option", "config", "install"]),
    ("ip", &["netns", "vrf", "-b", "-batch", "-force"]),
    ("systemctl", &["edit", "link", "start", "stop", "restart", "try-restart", "reload", "reload-or-restart",
        "try-reload-or-restart", "enable", "reenable", "isolate", "kill", "preset", "preset-all", "add-wants", "add-requires",
        "set-default", "set-property", "set-environment", "import-environment", "daemon-reload", "daemon-reexec",
        "switch-root", "soft-reboot", "kexec", "bind", "mount-image", "revert", "-H", "--host", "-M", "--machine", "--root",
        "--image", "--now"]),
    ("journalctl", &["-M", "--machine", "--cursor-file", "--vacuum-size", "--vacuum-time", "--vacuum-files"]),
    ("docker", CONTAINERS),
    ("nerdctl", CONTAINERS),
    ("podman", CONTAINERS),
    ("kubectl", &["exec", "debug", "run", "edit", "attach", "cp", "apply", "create", "replace", "patch", "config",
        "--kubeconfig", "plugin"]),
    ("openssl", &["engine", "-engine", "-provider", "-provider-path", "-config", "-out", "-keyout", "-writerand",
        "-sess_out", "-keylogfile", "-msgfile", "-CAserial", "-CAcreateserial"]),
    ("pdflatex", &["-shell-escape", "--shell-escape", "-enable-write18", "--enable-write18"]),
    ("latex", &["-shell-escape", "--shell-escape", "-enable-write18", "--enable-write18"]),
    ("gpg", &["--exec-path", "--options", "--homedir", "--photo-viewer", "-o", "--output", "--agent-program",
        "--dirmngr-program", "--keyboxd-program", "--log-file", "--logger-file"]),
    ("install", &["--strip-program"]),
    ("dmesg", &["-H", "--human"]),
    ("java", &["-agentlib", "-agentpath", "-javaagent", "-XX:OnError", "-XX:OnOutOfMemoryError", "@"]),
    ("gh", &["alias", "extension", "api", "codespace"]),
    ("yt-dlp", &["--exec", "--config-location", "--config-locations", "--downloader", "--external-downloader",
        "--plugin-dirs", "--netrc-cmd", "-o", "--output", "-P", "--paths", "--print-to-file", "--cookies",
        "--ffmpeg-location"]),
    ("ffmpeg", &["-f", "-filter_script", "-filter_complex_script"]),
    ("tee", &["--output-error"]),
    ("jq", &["-L", "--library-path"]),
    ("shuf", &["-o", "--output", "--random-source"]),
    ("tree", &["-o", "-R"]),
    ("iconv", &["-o", "--output"]),
    ("xmllint", &["-o", "--output", "--shell"]),
    ("pandoc", &["-o", "--output", "-F", "--filter", "-L", "--lua-filter", "-d", "--defaults", "--pdf-engine",
        "--extract-media", "--log", "--data-dir"]),
    ("yq", &["-i", "--inplace", "-s", "--split-exp"]),
    ("file", &["-C", "--compile"]),
    ("groff", &["-U", "-F", "-M", "-P", "-L"]),
    ("helm", &["--post-renderer", "plugin", "--kubeconfig"]),
    ("base64", &["-o", "--output"]),
    ("just", JUST),
    ("conda", MANAGERS),
    ("mamba", MANAGERS),
    ("micromamba", MANAGERS),
    ("mise", MANAGERS),
    ("rustup", MANAGERS),
    ("asdf", MANAGERS),
    ("pyenv", MANAGERS),
    ("rbenv", MANAGERS),
    ("nodenv", MANAGERS),
    ("pixi", MANAGERS),
    ("pdm", MANAGERS),
    ("hatch", MANAGERS),
    ("flatpak", &["run", "enter", "install", "override", "build", "build-init", "remote-add"]),
    ("snap", &["run", "install", "try", "set", "connect", "alias", "start", "restart"]),
    ("runc", CONTAINERS),
    ("crun", CONTAINERS),
    ("lxc", CONTAINERS),
    ("incus", CONTAINERS),
    ("ctr", CONTAINERS),
    ("crictl", CONTAINERS),
    ("aria2c", &["--on-download-start", "--on-download-pause", "--on-download-stop", "--on-download-complete",
        "--on-download-error", "--on-bt-download-complete", "--conf-path", "-o", "--out", "-d", "--dir", "-i",
        "--input-file", "-l", "--log", "--save-session", "--save-cookies", "--server-stat-of", "--dht-file-path",
        "--enable-rpc"]),
    ("mpv", &["--script", "--scripts", "--script-opts", "--load-scripts", "--config-dir", "--include", "--input-conf",
        "--input-commands", "--input-ipc-server", "--ytdl-raw-options", "--o", "--stream-record", "--stream-dump",
        "--log-file", "--dump-stats"]),
    ("tshark", &["-X", "-w", "-C", "--export-objects", "--export-tls-session-keys"]),
];

/// Programs of the list whose orders stand in their words; what they read is only worked on.
const READS_DATA: &[&str] = &["awk", "gawk", "mawk", "nawk", "original-awk", "sed", "gsed"];

/// Whether what a program reads can tell it what to run, where it was found to be a carrier.
pub(super) fn follows_input(name: &str, carrier: Carrier) -> bool {
    match carrier {
        Carrier::Always => !in_list(READS_DATA, &plain_name(name)),
        Carrier::Code => true,
        Carrier::Option | Carrier::Repository => false,
    }
}

/// What a program can do with what it is given, whatever it is given now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kin {
    /// Nothing that is known.
    Plain,
    /// Some of its options run other programs or write files.
    Tool,
    /// It exists to run other programs or code.
    Runner,
}

/// Whether a program is `tar`, by any of its names.
pub(super) fn is_tar(name: &str) -> bool {
    let name = plain_name(name);
    OPTIONS.iter().any(|(tool, flags)| *flags == TAR && same_program(tool, &name))
}

/// What is known about a program of this name.
pub(super) fn kin(name: &str) -> Kin {
    let name = plain_name(name);
    if is_loader(&name) || in_list(ALWAYS, &name) || in_list(INTERPRETERS, &name) {
        Kin::Runner
    } else if OPTIONS.iter().any(|(tool, _)| same_program(tool, &name)) {
        Kin::Tool
    } else {
        Kin::Plain
    }
}

/// Whether a program with these words may run something else. `is_script` says whether a word names a file with a
/// program in it.
pub(super) fn carrier(name: &str, arguments: &[String], is_script: impl Fn(&str) -> bool) -> Option<Carrier> {
    let name = plain_name(name);
    if is_loader(&name) || in_list(ALWAYS, &name) {
        return Some(Carrier::Always);
    }
    if in_list(INTERPRETERS, &name) {
        return (!begins_with_script(arguments, is_script)).then_some(Carrier::Code);
    }
    let mut tools = OPTIONS.iter().filter(|(tool, _)| same_program(tool, &name));
    tools.any(|(_, flags)| uses_any(arguments, flags)).then_some(Carrier::Option)
}

fn uses_any(arguments: &[String], flags: &'static [&'static str]) -> bool {
    // The first word of tar is a cluster of options, with a dash or without.
    let bundled = arguments.first().filter(|first| flags == TAR && !first.starts_with('-'));
    let bundled = bundled.map(|first| format!("-{first}"));
    let sets_variable = (flags == MAKE || flags == JUST) && arguments.iter().any(|word| word.contains('='));
    let words = || arguments.iter().map(String::as_str).chain(bundled.as_deref());
    sets_variable || flags.iter().any(|flag| words().any(|word| is_use(word, flag)))
}

/// The dynamic loader, other programs' code, emulators, and the small wrappers of one family.
fn is_loader(name: &str) -> bool {
    let families = ["ld-", "qemu-", "s6-"];
    families.iter().any(|family| name.starts_with(family)) || name.ends_with(".so") || name.contains(".so.")
}

fn plain_name(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name)
}

fn in_list(list: &[&str], name: &str) -> bool {
    list.iter().any(|known| same_program(known, name))
}

/// Machines that names of compilers and interpreters begin with, as in `x86_64-linux-gnu-gcc-12`.
const MACHINES: [&str; 10] =
    ["x86_64-", "i386-", "i686-", "aarch64-", "arm-", "arm64-", "armv7", "riscv64-", "powerpc64", "s390x-"];
/// What builds of the same program are told apart by.
const BUILDS: [&str; 14] = [
    "static", "dbg", "debug", "nox", "gtk", "athena", "basic", "tiny", "huge", "minimal", "common", "real",
    "bin", "orig",
];

/// The same name, or the same with a version, a build or a machine, as in `python3.12`, `perl5.36-x86_64-linux-gnu`,
/// `bash-static` and `x86_64-linux-gnu-gcc-12`.
fn same_program(known: &str, name: &str) -> bool {
    let is_cross = MACHINES.iter().any(|machine| name.starts_with(machine));
    let tails = name.match_indices('-').filter(|_| is_cross).filter_map(|(place, _)| name.get(place + 1..));
    std::iter::once(name).chain(tails).any(|name| same_but_version(known, name))
}

fn same_but_version(known: &str, name: &str) -> bool {
    let (Some(head), Some(rest)) = (name.get(..known.len()), name.get(known.len()..)) else { return false };
    let build =
        rest.trim_start_matches(|next: char| next.is_ascii_digit() || matches!(next, '.' | '-' | '_'));
    let version = rest.get(..rest.len() - build.len()).unwrap_or_default();
    head.eq_ignore_ascii_case(known)
        && (build.is_empty()
            || version.contains(|next: char| next.is_ascii_digit())
            || (!version.is_empty() && BUILDS.iter().any(|known| build.starts_with(known))))
}

fn begins_with_script(arguments: &[String], is_script: impl Fn(&str) -> bool) -> bool {
    arguments
        .first()
        .is_some_and(|first| !first.is_empty() && !first.starts_with(['-', '+']) && is_script(first))
}

/// Whether a word is this option: in full, shortened as GNU tools allow, with a value behind it, or among others.
fn is_use(argument: &str, flag: &str) -> bool {
    if let Some(long) = flag.strip_prefix("--") {
        let written = argument.strip_prefix("--").map(|text| text.split('=').next().unwrap_or(text));
        return written
            .is_some_and(|text| !text.is_empty() && (long.starts_with(text) || text.starts_with(long)));
    }
    if let Some(letter) = flag.strip_prefix('-').filter(|rest| rest.chars().count() == 1) {
        return argument.starts_with('-') && !argument.starts_with("--") && argument.contains(letter);
    }
    // Options of one dash are understood with two as well.
    let argument = argument
        .strip_prefix('-')
        .filter(|rest| flag.starts_with('-') && rest.starts_with('-'))
        .unwrap_or(argument);
    let open_ended =
        flag.ends_with(['=', ':', '@']) || ["-XX", "-f", "-Wl"].iter().any(|start| flag.starts_with(start));
    argument == flag
        || (open_ended && argument.starts_with(flag))
        || (flag.starts_with('-')
            && argument.strip_prefix(flag).is_some_and(|rest| rest.starts_with(['=', ':'])))
}
