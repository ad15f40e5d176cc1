//! What a child sees of the environment: a short list of variables that hold no secrets, and what the call adds.
//!
//! The gateway's own variables may hold keys and tokens, so nothing is inherited by default. A call may not change what
//! decides which code runs: search paths of the loader, of shells and of languages. Pagers are switched off: on a terminal
//! their keys would run commands that nobody checked.

use std::collections::BTreeMap;

use openclaw_config::Environment;

/// Variables that children inherit.
#[rustfmt::skip]
const INHERITED: [&str; 46] = [
    "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "COLORTERM", "NO_COLOR", "TMPDIR", "TEMP", "TMP",
    "TZ", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME",
    "XDG_STATE_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS", "XDG_SESSION_TYPE", "DBUS_SESSION_BUS_ADDRESS",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "CARGO_HOME",
    "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "GOPATH", "GOROOT", "JAVA_HOME", "NVM_DIR", "PNPM_HOME", "BUN_INSTALL",
    "PYENV_ROOT", "RBENV_ROOT", "VIRTUAL_ENV", "HOMEBREW_PREFIX", "ANDROID_HOME", "NO_PROXY", "no_proxy", "CONDA_PREFIX",
];
/// Addresses of proxies are inherited when they hold no login.
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
const FALLBACK_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Variables that decide which code runs.
#[rustfmt::skip]
const FORBIDDEN: [&str; 60] = [
    "PATH", "HOME", "SHELL", "IFS", "ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "ZDOTDIR",
    "CDPATH", "GLOBIGNORE", "FPATH", "NODE_OPTIONS", "NODE_PATH", "PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP",
    "PYTHONINSPECT", "PYTHONUSERBASE", "PERL5LIB", "PERL5OPT", "PERL5DB", "PERLLIB", "RUBYLIB", "RUBYOPT", "GCONV_PATH",
    "SSLKEYLOGFILE", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "LESSOPEN", "LESSCLOSE", "BROWSER", "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "LUA_INIT", "LUA_PATH", "RUSTC_WRAPPER", "RUSTC", "TERMINFO",
    "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "LESS", "LESSKEY", "LESSKEYIN", "LESSKEY_CONTENT", "LESSSECURE",
    "LESSSECURE_ALLOW", "SYSTEMD_PAGER", "SYSTEMD_PAGERSECURE", "SYSTEMD_LESS", "BAT_PAGER", "GH_PAGER", "AWS_PAGER",
];
const FORBIDDEN_PREFIXES: [&str; 7] =
    ["LD_", "DYLD_", "BASH_FUNC_", "GIT_", "NPM_CONFIG_", "OPENCLAW_", "CARGO_"];

/// What every child is told instead of what the gateway was told.
#[rustfmt::skip]
const FIXED: [(&str, &str); 9] = [
    ("PAGER", "cat"), ("GIT_PAGER", "cat"), ("SYSTEMD_PAGER", "cat"), ("MANPAGER", "cat"), ("GH_PAGER", "cat"),
    ("BAT_PAGER", "cat"), ("AWS_PAGER", "cat"), ("LESSSECURE", "1"), ("SYSTEMD_PAGERSECURE", "1"),
];

/// What a child sees.
///
/// # Errors
/// The name of a variable that a call may not set.
pub(crate) fn child_environment(
    gateway: &Environment,
    path_prepend: &[String],
    added: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, String> {
    if let Some(name) = added.keys().find(|name| is_forbidden(name)) {
        return Err(name.clone());
    }
    let inherited = INHERITED.iter().filter_map(|name| Some((*name, gateway.get(name)?)));
    let locale = gateway.iter().filter(|(name, _)| name.starts_with("LC_"));
    let proxies = PROXIES
        .iter()
        .filter_map(|name| Some((*name, gateway.get(name).filter(|value| !value.contains('@'))?)));
    let mut variables: BTreeMap<String, String> = inherited
        .chain(locale)
        .chain(proxies)
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    variables.insert("PATH".to_owned(), search_path(gateway, path_prepend));
    variables.extend(added.iter().map(|(name, value)| (name.clone(), value.clone())));
    variables.extend(FIXED.map(|(name, value)| (name.to_owned(), value.to_owned())));
    Ok(variables)
}

fn search_path(gateway: &Environment, path_prepend: &[String]) -> String {
    let inherited = gateway.get("PATH").filter(|path| !path.is_empty()).unwrap_or(FALLBACK_PATH);
    let mut places: Vec<&str> = Vec::new();
    for place in path_prepend.iter().map(|place| place.trim()).chain(inherited.split(':')) {
        // A place that is empty or relative would mean the folder the agent works in.
        if place.starts_with('/') && !places.contains(&place) {
            places.push(place);
        }
    }
    places.join(":")
}

fn is_forbidden(name: &str) -> bool {
    let portable = !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let upper = name.to_ascii_uppercase();
    !portable
        || FORBIDDEN.contains(&upper.as_str())
        || FORBIDDEN_PREFIXES.iter().any(|prefix| upper.starts_with(prefix))
}
