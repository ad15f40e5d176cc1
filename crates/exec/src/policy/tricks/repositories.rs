//! Tricks by what a repository, its remotes or the person's own settings of git make a listed `git` run.

use super::*;

#[test]
fn a_repository_that_could_run_programs_is_asked_about_and_nothing_in_it_can_be_granted() {
    #[rustfmt::skip]
    let rows: &[(&str, &str, &str)] = &[
        ("git status", "config", "[core]\n\tfsmonitor = evil\n"), ("git log", "config", "[core]\n\tpager = evil\n"),
        ("git fetch", "config", "[core]\n\tsshCommand = evil\n"), ("git commit -m x", "config", "[core]\n\teditor = evil\n"),
        ("git status", "config", "[core]\n\thooksPath = evil\n"), ("git status", "config", "[core] fsmonitor = evil\n"),
        ("git status", "config", "[CORE]\nFSMonitor=evil\n"), ("git status", "config", "[include]\n\tpath = /tmp/x\n"),
        ("git status", "config", "[includeIf \"gitdir:/\"]\n\tpath = x\n"), ("git status", "config", "[filter \"x\"]\n\tclean = evil\n"),
        ("git diff", "config", "[diff \"x\"]\n\ttextconv = evil\n"), ("git diff", "config", "[diff]\n\texternal = evil\n"),
        ("git merge x", "config", "[merge \"x\"]\n\tdriver = evil\n"), ("git log", "config", "[gpg]\n\tprogram = evil\n"),
        ("git fetch", "config", "[remote \"o\"]\n\turl = ext::evil\n"), ("git fetch", "config", "[remote \"o\"]\n\tuploadpack = evil\n"),
        ("git fetch", "config", "[url \"ext::evil\"]\n\tinsteadOf = https\n"), ("git fetch", "config", "[credential]\n\thelper = !evil\n"),
        ("git status", "config", "[alias]\n\tstatus = !evil\n"), ("git archive HEAD", "config", "[tar \"x\"]\n\tcommand = evil\n"),
        ("git status", "config", "[user]\n\tname = a\\\n[core]\n"), ("git status", "config", "[core\n"),
        ("git status", "config", "[user \"a\\\"]\"]\n\tname = x\n"), ("git status", "config.worktree", "[core]\n\tfsmonitor = evil\n"),
        ("git commit -m x", "hooks/pre-commit", "evil"), ("git push", "hooks/pre-push", "evil"),
        ("git status", "modules/x/config", ""), ("git status", "../.gitmodules", "[submodule \"x\"]\n"),
    ];
    let plain = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n\
                 [user]\n\tname = Ana\n[remote \"origin\"]\n\turl = git@example.org:a/b.git\n\
                 \tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n";
    let repository = |file: &str, text: &str| {
        let bench = Bench::new();
        let folder = bench.root.join("work/.git");
        for (file, text) in [("config", plain), ("hooks/pre-commit.sample", "evil"), (file, text)] {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        bench
    };
    for (line, _, _) in rows {
        let bench = repository("description", "");
        assert!(matches!(bench.verdict(line), ExecVerdict::Run(_)), "{line}: {:?}", bench.verdict(line));
    }
    for (line, file, text) in rows {
        let bench = repository(file, text);
        let asked = AskReason::Carries("git".to_owned(), Carrier::Repository);
        assert_eq!(bench.verdict(line), ExecVerdict::Ask(asked), "{line} {file} {text:?}");
        let place = bench.place(LineInput::Closed);
        let reading = read(line, &bench.root).and_then(|line| locate(line, &place));
        assert_eq!(latitude(&reading, &AddedVariables::default()), GrantWidth::Nothing, "{line}");
    }
    let inner = repository("index", "DIRC\0\0\0\u{2}\0\0\0\u{1}");
    assert!(matches!(inner.verdict("git add -A"), ExecVerdict::Run(_)));
    let path = inner.root.join("work/.git/index");
    std::fs::write(
        &path,
        [&b"DIRC\0\0\0\x02\0\0\0\x01"[..], &[7; 24], &[0x00, 0x00, 0xe0, 0x00], &[7; 32]].concat(),
    )
    .unwrap();
    assert!(
        matches!(inner.verdict("git add -A"), ExecVerdict::Ask(_)),
        "a repository inside has a configuration of its own"
    );
    let hooked = repository("hooks/pre-commit", "evil");
    assert!(
        matches!(hooked.verdict("git status"), ExecVerdict::Run(_)),
        "hooks are off, and nobody misses them here"
    );
}

#[test]
fn a_remote_on_this_machine_is_asked_about_where_git_would_speak_to_it() {
    let network =
        "[remote \"origin\"]\n\turl = https://example.org/a\n[branch \"main\"]\n\tremote = origin\n";
    let rows: &[(&str, bool)] = &[
        (network, true),
        ("[remote \"origin\"]\n\turl = ../evil\n", false),
        ("[remote \"origin\"]\n\turl = file:///tmp/evil\n", false),
        ("[remote \"origin\"]\n\turl = https://example.org/a\n\tpushurl = /tmp/evil\n", false),
        ("[remote \"origin\"]\n\tfetch = x\n", false),
        (
            "[remote \"origin\"]\n\turl = https://example.org/a\n[branch \"main\"]\n\tremote = ../evil\n",
            false,
        ),
        ("[remote \"origin\"]\n\turl = https://example.org/a\n[remote]\n\tpushdefault = evil\n", false),
    ];
    for (config, runs) in rows {
        let bench = Bench::new();
        std::fs::create_dir_all(bench.root.join("work/.git")).unwrap();
        std::fs::write(bench.root.join("work/.git/config"), config).unwrap();
        for line in ["git push origin main", "git fetch origin", "git pull --rebase origin main"] {
            assert_eq!(matches!(bench.verdict(line), ExecVerdict::Run(_)), *runs, "{line} {config:?}");
        }
        assert!(matches!(bench.verdict("git status"), ExecVerdict::Run(_)), "{config:?}");
        assert!(matches!(bench.verdict("git push other"), ExecVerdict::Ask(_)), "{config:?}");
    }
    let bench = Bench::new();
    std::fs::create_dir_all(bench.root.join("work/.git/remotes")).unwrap();
    assert!(matches!(bench.verdict("git fetch"), ExecVerdict::Run(_)));
    std::fs::write(bench.root.join("work/.git/remotes/origin"), "URL: ../evil\n").unwrap();
    assert!(matches!(bench.verdict("git fetch"), ExecVerdict::Ask(_)));
}

#[test]
fn a_configuration_of_the_person_that_could_run_programs_is_asked_about() {
    #[rustfmt::skip]
    let rows: &[(&str, bool)] = &[
        ("[user]\n\tname = Ana\n\tsigningkey = x\n[commit]\n\tgpgsign = true\n[alias]\n\tst = !evil\n", true),
        ("[core]\n\teditor = vim\n\tpager = delta\n\texcludesfile = ~/.ignore\n[diff]\n\ttool = x\n", true),
        ("[credential]\n\thelper = cache --timeout=3600\n[url \"git@example.org:\"]\n\tinsteadOf = https://example.org/\n", true),
        ("[credential \"https://github.com\"]\n\thelper =\n\thelper = !/usr/bin/gh auth git-credential\n", true),
        ("[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tprocess = git-lfs filter-process\n\trequired = true\n", true),
        ("[diff]\n\texternal = evil\n", false), ("[core]\n\tsshCommand = evil\n", false),
        ("[filter \"lfs\"]\n\tclean = evil\n", false), ("[credential]\n\thelper = !evil\n", false),
        ("[credential]\n\thelper = /tmp/evil\n", false), ("[credential]\n\thelper = store;evil\n", false),
        ("[credential]\n\thelper = !/tmp/gh auth git-credential\n", false), ("[include]\n\tpath = x\n", false),
        ("[url \"/tmp/evil\"]\n\tinsteadOf = https://example.org/a\n", false), ("[init]\n\ttemplateDir = x\n", false),
        ("[core]\n\thooksPath = x\n", false), ("[gpg]\n\tprogram = evil\n", false),
        ("[interactive]\n\tdiffFilter = evil\n", false), ("[merge \"x\"]\n\tdriver = evil\n", false),
    ];
    for (config, runs) in rows {
        for place in [".gitconfig", ".config/git/config"] {
            let bench = Bench::new();
            std::fs::create_dir_all(bench.root.join(".config/git")).unwrap();
            std::fs::write(bench.root.join(place), config).unwrap();
            assert_eq!(matches!(bench.verdict("git diff"), ExecVerdict::Run(_)), *runs, "{place} {config:?}");
        }
    }
}

#[test]
fn repositories_of_other_forms_are_looked_at_as_well() {
    let bench = Bench::new();
    let bare = bench.root.join("work/inner");
    for folder in ["objects", "refs"] {
        std::fs::create_dir_all(bare.join(folder)).unwrap();
    }
    std::fs::write(bare.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    assert!(matches!(bench.verdict("git status"), ExecVerdict::Run(_)));
    for line in ["git -C inner status", "cd inner && git status", "cd inner/refs && git status"] {
        assert!(matches!(bench.verdict(line), ExecVerdict::Ask(_)), "{line}");
    }
    std::fs::create_dir_all(bench.root.join("work/tree")).unwrap();
    std::fs::create_dir_all(bench.root.join("store/worktrees/tree")).unwrap();
    let store = bench.root.join("store");
    std::fs::write(
        bench.root.join("work/tree/.git"),
        format!("gitdir: {}/worktrees/tree\n", store.display()),
    )
    .unwrap();
    std::fs::write(store.join("worktrees/tree/commondir"), "../..\n").unwrap();
    assert!(matches!(bench.verdict("cd tree && git status"), ExecVerdict::Run(_)));
    std::fs::write(store.join("config"), "[core]\n\tfsmonitor = evil\n").unwrap();
    assert!(matches!(bench.verdict("cd tree && git status"), ExecVerdict::Ask(_)));
    std::fs::write(bench.root.join("work/tree/.git"), "nonsense").unwrap();
    assert!(matches!(bench.verdict("cd tree && git status"), ExecVerdict::Ask(_)));
}
