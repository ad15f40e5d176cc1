//! Which gateway is spoken to, and with which secret.
//!
//! One decision for each case: command line, variables, configuration, running gateway in; address, source, token and
//! password out.

use openclaw_config::{ConfigFile, Environment, Locations, ProfileChoice};

use crate::target::{GatewayTarget, TargetArgs, TargetInputs, decide};

struct Case {
    arguments: TargetArgs,
    variables: Vec<(&'static str, &'static str)>,
    config: &'static str,
    running: Option<u16>,
}

impl Default for Case {
    fn default() -> Self {
        Self { arguments: TargetArgs::default(), variables: Vec::new(), config: "{}", running: None }
    }
}

/// The decision in one line: address, source, token, password.
fn decided(case: &Case) -> String {
    let folder = tempfile::tempdir().unwrap();
    let environment = Environment::fake(case.variables.clone(), folder.path());
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    let snapshot = ConfigFile::new(locations, environment.clone()).preview(case.config);
    let around = TargetInputs {
        url: environment.get_trimmed("OPENCLAW_GATEWAY_URL"),
        authorities: None,
        environment: &snapshot.environment,
        settings: &snapshot.config.gateway,
        running: case.running,
    };
    match decide(&case.arguments, &around) {
        Ok(GatewayTarget { address, source, credentials, .. }) => {
            let shown = |secret: Option<openclaw_types::Secret<String>>| {
                secret.map_or("-".to_owned(), |secret| secret.reveal().clone())
            };
            format!(
                "{address} | {} | {} | {}",
                source.text(),
                shown(credentials.token),
                shown(credentials.password)
            )
        }
        Err(error) => format!("error: {error}"),
    }
}

fn url(url: &str) -> TargetArgs {
    TargetArgs { url: Some(url.to_owned()), ..TargetArgs::default() }
}

fn token(arguments: TargetArgs, token: &str) -> TargetArgs {
    TargetArgs { token: Some(token.to_owned()), ..arguments }
}

#[test]
fn the_local_gateway_is_the_running_one_else_the_configured_one() {
    let config = "{gateway: {port: 4000, auth: {token: 'from-file'}}}";
    let case = Case { config, ..Case::default() };
    assert_eq!(decided(&case), "ws://127.0.0.1:4000 | local loopback | from-file | -");
    let case = Case { config, running: Some(5000), ..Case::default() };
    assert_eq!(decided(&case), "ws://127.0.0.1:5000 | running gateway | from-file | -");
}

#[test]
fn a_variable_wins_over_the_file_and_the_command_line_over_both() {
    let config = "{gateway: {auth: {token: 'from-file', password: 'word'}}}";
    let variables = vec![("OPENCLAW_GATEWAY_TOKEN", "from-variable")];
    let case = Case { config, variables: variables.clone(), ..Case::default() };
    assert_eq!(decided(&case), "ws://127.0.0.1:18789 | local loopback | from-variable | word");
    let arguments = token(TargetArgs::default(), "given");
    let case = Case { config, variables, arguments, ..Case::default() };
    assert_eq!(decided(&case), "ws://127.0.0.1:18789 | local loopback | given | -");
}

#[test]
fn secrets_of_this_machine_are_not_sent_to_a_given_address() {
    let config = "{gateway: {auth: {token: 'from-file'}}}";
    let variables = vec![("OPENCLAW_GATEWAY_TOKEN", "from-variable")];
    let case = Case { config, variables, arguments: url("wss://elsewhere.example"), ..Case::default() };
    assert_eq!(
        decided(&case),
        "error: --url needs --token or --password as well; the secrets of this machine are not sent to other addresses"
    );
    let case = Case { config, arguments: token(url("wss://elsewhere.example"), "given"), ..Case::default() };
    assert_eq!(decided(&case), "wss://elsewhere.example:443 | cli --url | given | -");
}

#[test]
fn a_remote_gateway_uses_its_own_secrets_first() {
    let config = "{gateway: {mode: 'remote', remote: {url: 'wss://gw.example', token: 'theirs'}, auth: {token: 'ours'}}}";
    let case = Case { config, variables: vec![("OPENCLAW_GATEWAY_TOKEN", "x")], ..Case::default() };
    assert_eq!(decided(&case), "wss://gw.example:443 | config gateway.remote.url | theirs | -");
    let case = Case { config: "{gateway: {mode: 'remote'}}", ..Case::default() };
    assert_eq!(
        decided(&case),
        "error: gateway.mode is remote but gateway.remote.url is not set; set it, or run `openclaw config set gateway.mode local`"
    );
}

#[test]
fn a_variable_can_name_the_gateway_with_its_secret() {
    let variables = vec![("OPENCLAW_GATEWAY_URL", "ws://127.0.0.1:7"), ("OPENCLAW_GATEWAY_TOKEN", "x")];
    let case = Case { config: "{gateway: {auth: {token: 'from-file'}}}", variables, ..Case::default() };
    assert_eq!(decided(&case), "ws://127.0.0.1:7 | env OPENCLAW_GATEWAY_URL | x | -");
    let case = Case { variables: vec![("OPENCLAW_GATEWAY_URL", "ws://127.0.0.1:7")], ..Case::default() };
    assert_eq!(
        decided(&case),
        "error: OPENCLAW_GATEWAY_URL needs OPENCLAW_GATEWAY_TOKEN or OPENCLAW_GATEWAY_PASSWORD as well"
    );
}
