//! What a sandbox may never be, whatever the file says: a container that is no longer one.
//!
//! Refused here, before anything runs; starting containers is not done here. `rules::agents` calls this for the
//! common settings and for each agent.

use super::super::problem::ConfigProblem;
use crate::sections::{Sandbox, SandboxDocker};

pub(super) fn check(path: &str, sandbox: Option<&Sandbox>, problems: &mut Vec<ConfigProblem>) {
    let Some(sandbox) = sandbox else { return };
    let may_join = sandbox
        .docker
        .as_ref()
        .and_then(|docker| docker.dangerously_allow_container_namespace_join)
        .unwrap_or(false);
    let joining = if may_join { Joining::Allowed } else { Joining::Refused };
    if let Some(docker) = &sandbox.docker {
        check_docker(&format!("{path}.docker"), docker, joining, problems);
    }
    if let Some(browser) = &sandbox.browser {
        check_network(&format!("{path}.browser.network"), browser.network.as_deref(), joining, problems);
    }
}

/// Whether a container may join another one's network.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joining {
    Allowed,
    Refused,
}

fn check_docker(path: &str, docker: &SandboxDocker, joining: Joining, problems: &mut Vec<ConfigProblem>) {
    for (index, bind) in docker.binds.iter().flatten().enumerate() {
        if !bind.trim().starts_with('/') {
            problems.push(
                ConfigProblem::error(
                    format!("{path}.binds[{index}]"),
                    "must begin with an absolute path of this machine",
                )
                .hint("write it like /data/shared:/shared:ro"),
            );
        }
    }
    check_network(&format!("{path}.network"), docker.network.as_deref(), joining, problems);
    let profiles =
        [("seccompProfile", &docker.seccomp_profile), ("apparmorProfile", &docker.apparmor_profile)];
    for (key, profile) in profiles {
        if profile.as_deref().is_some_and(|profile| profile.trim().eq_ignore_ascii_case("unconfined")) {
            problems.push(
                ConfigProblem::error(
                    format!("{path}.{key}"),
                    "must not be unconfined: the sandbox would protect nothing",
                )
                .hint("name a profile, or remove the key"),
            );
        }
    }
}

fn check_network(path: &str, network: Option<&str>, joining: Joining, problems: &mut Vec<ConfigProblem>) {
    let network = network.unwrap_or_default().trim().to_lowercase();
    if network == "host" {
        problems.push(
            ConfigProblem::error(path, "must not be host: the sandbox would share this machine's network")
                .hint("use none, bridge or the name of a network"),
        );
    } else if network.starts_with("container:") && joining == Joining::Refused {
        problems.push(
            ConfigProblem::error(path, "joins the network of another container, which is refused by default").hint(
                "use the name of a network, or set sandbox.docker.dangerouslyAllowContainerNamespaceJoin if you trust it",
            ),
        );
    }
}
