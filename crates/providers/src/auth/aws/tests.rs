//! AWS's files, as its tools write them.

use openclaw_config::Environment;
use openclaw_ports::model::AwsKeys;
use openclaw_types::Secret;

use super::{FoundCredentials, Lender, Source, known, read};

const CREDENTIALS: &str = "
# people write comments
[default]
aws_access_key_id = DEFAULT_ID
aws_secret_access_key=DEFAULT/KEY=

[ work ]
AWS_ACCESS_KEY_ID = WORK_ID
aws_secret_access_key = WORK_KEY
aws_session_token = WORK_SESSION
s3 =
  aws_secret_access_key = nested
[half]
aws_access_key_id = HALF
";
const CONFIG: &str = "
[default]
region = eu-central-1
[profile work]
region=ap-south-1
aws_access_key_id = LOSES
[profile sso]
sso_session = company
[profile only-here]
aws_access_key_id = HERE_ID
aws_secret_access_key = HERE_KEY
";

fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join(".aws")).unwrap();
    std::fs::write(home.path().join(".aws/credentials"), CREDENTIALS).unwrap();
    std::fs::write(home.path().join(".aws/config"), CONFIG).unwrap();
    home
}

fn keys(id: &str, key: &str, session: Option<&str>, region: &str) -> AwsKeys {
    AwsKeys {
        access_key_id: id.to_owned(),
        secret_access_key: Secret::new(key.to_owned()),
        session_token: session.map(|session| Secret::new(session.to_owned())),
        region: region.to_owned(),
    }
}

fn of_profile(environment: &Environment, name: &str) -> Result<AwsKeys, String> {
    match read(environment, &Source::Profile(name.to_owned())) {
        Ok(FoundCredentials::Keys(keys)) => Ok(keys),
        Ok(FoundCredentials::Lender(_)) => panic!("a profile lends nothing"),
        Err(fault) => Err(fault.message),
    }
}

#[test]
fn a_profile_is_read_from_both_files() {
    let home = home();
    let environment = Environment::fake([("A", "b")], home.path());
    let rows = [
        ("default", keys("DEFAULT_ID", "DEFAULT/KEY=", None, "eu-central-1")),
        ("work", keys("WORK_ID", "WORK_KEY", Some("WORK_SESSION"), "ap-south-1")),
        ("only-here", keys("HERE_ID", "HERE_KEY", None, "us-east-1")),
    ];
    for (name, expected) in rows {
        assert_eq!(of_profile(&environment, name), Ok(expected), "{name}");
    }
    let environment = Environment::fake([("AWS_DEFAULT_REGION", "sa-east-1")], home.path());
    assert_eq!(of_profile(&environment, "work").unwrap().region, "sa-east-1");
}

#[test]
fn a_profile_without_keys_says_what_to_run() {
    let home = home();
    let environment = Environment::fake([("A", "b")], home.path());
    let rows = [
        ("gone", "there is no AWS profile gone; run: aws configure --profile gone"),
        ("half", "the AWS profile half holds no keys; run: aws configure --profile half"),
        (
            "sso",
            "the AWS profile sso gets its keys through sso_session; start the gateway with them in its variables: \
             eval \"$(aws configure export-credentials --profile sso --format env)\"",
        ),
    ];
    for (name, expected) in rows {
        assert_eq!(of_profile(&environment, name), Err(expected.to_owned()));
    }
}

#[test]
fn the_files_may_be_elsewhere() {
    let home = home();
    let other = home.path().join("elsewhere");
    std::fs::write(&other, "[default]\naws_access_key_id=O\naws_secret_access_key=K\n").unwrap();
    let environment = Environment::fake([("AWS_SHARED_CREDENTIALS_FILE", "~/elsewhere")], home.path());
    assert_eq!(of_profile(&environment, "default"), Ok(keys("O", "K", None, "eu-central-1")));
}

#[test]
fn the_default_profile_counts_when_none_is_chosen() {
    let home = home();
    let default = Source::Profile("default".to_owned());
    assert_eq!(known(&Environment::fake([("A", "b")], home.path())), [default]);
    let chosen = Source::Profile("work".to_owned());
    assert_eq!(known(&Environment::fake([("AWS_PROFILE", "work")], home.path())), [chosen]);
    assert_eq!(known(&Environment::fake([("AWS_ACCESS_KEY_ID", "half of it")], "/nowhere")), []);
}

#[test]
fn keys_are_lent_in_the_clear_only_by_neighbours() {
    let rows = [
        ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/credentials", true),
        ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "@evil.example/", false),
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.23/v1/credentials", true),
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:8080/creds", true),
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://[::1]:8080/creds", true),
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "https://lender.example/creds", true),
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://lender.example/creds", false),
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1@evil.example/", false),
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "file:///etc/passwd", false),
    ];
    for (name, value, expected) in rows {
        let environment = Environment::fake([(name, value)], "/nowhere");
        assert_eq!(Lender::of(&environment).is_some(), expected, "{value}");
    }
}
