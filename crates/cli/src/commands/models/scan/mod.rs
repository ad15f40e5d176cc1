//! `openclaw models scan`: finds models at OpenRouter that cost nothing, tries them, and makes the best of them
//! fallbacks.
//!
//! `candidate` holds what is known of a model and which comes first, `attempt` tries one, `pick` lets a person choose.

mod attempt;
mod candidate;
mod pick;

use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use futures_util::StreamExt as _;
use openclaw_ports::model::{Credentials as _, ProviderFacts};
use openclaw_providers::{FoundModel, FoundServer, RouterModel, ask_openrouter};
use openclaw_types::ProviderId;
use serde_json::json;

use super::choices::{self, Chosen};
use super::desk::{ModelCommand, session};
use super::list::thousands;
use crate::context::Context;
use crate::exit::{Exit, Output, answering, misuse};
use crate::print::{self, TextTable};
use candidate::{Candidate, Filter, by_image, by_use};

const ROUTER: &str = "openrouter";

/// `openclaw models scan`
#[derive(Debug, Args)]
pub(super) struct ScanArgs {
    /// Leave models with fewer parameters out, in billions
    #[arg(long, value_name = "b")]
    min_params: Option<f64>,
    /// Leave models out that came earlier than this
    #[arg(long, value_name = "days")]
    max_age_days: Option<u32>,
    /// Only models of this maker: what stands before the slash
    #[arg(long, value_name = "name")]
    provider: Option<String>,
    /// How many become fallbacks
    #[arg(long, value_name = "n", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..))]
    max_candidates: u16,
    /// How long each may take, in milliseconds
    #[arg(long, value_name = "ms", default_value_t = 12_000, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// How many are tried at once
    #[arg(long, value_name = "n", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,
    /// List what there is without trying it; needs no key
    #[arg(long)]
    no_probe: bool,
    /// Take the best without asking
    #[arg(long)]
    yes: bool,
    /// Do not ask anything
    #[arg(long)]
    no_input: bool,
    /// Let the first of them answer from now on
    #[arg(long)]
    set_default: bool,
    /// Let the first that sees look at pictures from now on
    #[arg(long)]
    set_image: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ScanArgs {
    fn may_ask(&self) -> bool {
        !self.yes && !self.no_input && !self.json
    }

    fn filter(&self, now_seconds: i64) -> Filter {
        let maker = self.provider.as_deref().map(|name| name.trim().to_ascii_lowercase());
        Filter {
            maker: maker.filter(|maker| !maker.is_empty()),
            min_billions: self.min_params.unwrap_or(0.0),
            not_before: self
                .max_age_days
                .filter(|days| *days > 0)
                .map(|days| now_seconds - i64::from(days) * 86_400),
        }
    }
}

/// Scans.
pub(super) fn run(context: &Context, agent: Option<&str>, arguments: &ScanArgs) -> anyhow::Result<Exit> {
    if !arguments.no_probe && arguments.may_ask() && !print::can_ask() {
        return Err(misuse(
            "nobody can be asked here; say --yes to take the best, or --no-probe to list only",
        ));
    }
    answering(Output::of(arguments.json), || {
        let found = session(context, agent, async |session| look(session, arguments).await)?;
        if arguments.no_probe {
            return list_only(found, arguments);
        }
        take(context, &found, arguments)
    })
}

async fn look(session: &ModelCommand<'_>, arguments: &ScanArgs) -> anyhow::Result<Vec<Candidate>> {
    let provider = ProviderId::new(ROUTER)?;
    if !arguments.no_probe && session.desk.credentials.profiles(&session.agent, &provider).await?.is_empty() {
        anyhow::bail!(
            "trying models needs a key of OpenRouter: set OPENROUTER_API_KEY, or store one with \
             `openclaw models auth add --provider openrouter`; --no-probe lists models without one"
        );
    }
    let catalog = session.desk.catalog();
    let router = catalog.provider(&provider).context("OpenRouter is not among the vendors that are known")?;
    let list = ask_openrouter(&session.desk.transport, router)
        .await
        .with_context(|| format!("the list of {} could not be read", router.name))?;
    let filter = arguments.filter(session.context.clock.now().0 / 1_000);
    let wanted: Vec<RouterModel> = list.into_iter().filter(|model| filter.fits(model)).collect();
    if arguments.no_probe {
        return Ok(wanted.into_iter().map(Candidate::untried).collect());
    }
    learn(session, router, &wanted);
    let limit = Duration::from_millis(arguments.timeout);
    let tries = wanted.into_iter().map(|model| attempt::run(session, model, limit));
    Ok(futures_util::stream::iter(tries).buffer_unordered(usize::from(arguments.concurrency)).collect().await)
}

/// Lets calls know what the list says of the models, pictures above all.
fn learn(session: &ModelCommand<'_>, router: &ProviderFacts, models: &[RouterModel]) {
    let Some(endpoint) = &router.endpoint else { return };
    let models = models.iter().map(|model| FoundModel {
        id: model.id.clone(),
        name: Some(model.name.clone()),
        context: model.context,
        output: model.output,
        sees_images: model.sees_images,
        thinks: model.thinks,
        prices: model.prices,
    });
    let (provider, base_url) = (router.id.clone(), endpoint.base_url.clone());
    let server = FoundServer { provider, base_url, models: models.collect() };
    session.desk.take_found(vec![server]);
}

fn list_only(mut found: Vec<Candidate>, arguments: &ScanArgs) -> anyhow::Result<Exit> {
    found.sort_by(by_use);
    if arguments.json {
        print::json(&found)?;
    } else {
        print::line(&format!("{} models of OpenRouter cost nothing; none was tried.", found.len()))?;
        print::line(&render(&found))?;
    }
    Ok(Exit::Done)
}

fn take(context: &Context, found: &[Candidate], arguments: &ScanArgs) -> anyhow::Result<Exit> {
    let mut sorted = found.to_vec();
    sorted.sort_by(by_use);
    let able: Vec<Candidate> = sorted.iter().filter(|candidate| candidate.tool.ok).cloned().collect();
    let mut seeing: Vec<Candidate> = sorted.iter().filter(|candidate| candidate.image.ok).cloned().collect();
    seeing.sort_by(by_image);
    if !arguments.json {
        print::line(&format!(
            "Tried {}: {} call tools, {} see pictures.",
            sorted.len(),
            able.len(),
            seeing.len()
        ))?;
        print::line(&render(&sorted))?;
    }
    if able.is_empty() {
        anyhow::bail!(
            "none of the models that cost nothing called a tool; try again later, or with more --timeout"
        );
    }
    let most = usize::from(arguments.max_candidates);
    let (mut chosen, mut images) = (pick::best(&able, most), pick::first(&seeing, most));
    if arguments.may_ask() {
        chosen = pick::ask("Fallbacks", &able, chosen)?;
        images =
            if seeing.is_empty() { images } else { pick::ask("Fallbacks for pictures", &seeing, images)? };
    }
    if chosen.is_empty() {
        anyhow::bail!("no model was chosen; nothing was changed");
    }
    if arguments.set_image && images.is_empty() {
        anyhow::bail!("no model that sees pictures was chosen; nothing was changed");
    }
    let first = |wanted: bool, list: &[String]| list.first().filter(|_| wanted).cloned();
    choices::take_found(
        context,
        &Chosen { primary: first(arguments.set_default, &chosen), fallbacks: chosen.clone() },
        &Chosen { primary: first(arguments.set_image, &images), fallbacks: images.clone() },
    )?;
    if arguments.json {
        print::json(&json!({
            "selected": chosen,
            "selectedImages": images,
            "setDefault": arguments.set_default,
            "setImage": arguments.set_image,
            "results": found,
            "warnings": [],
        }))?;
        return Ok(Exit::Done);
    }
    print::line(&format!("Fallbacks: {}", chosen.join(", ")))?;
    if !images.is_empty() {
        print::line(&format!("Image fallbacks: {}", images.join(", ")))?;
    }
    Ok(Exit::Done)
}

fn render(candidates: &[Candidate]) -> String {
    let mut table = TextTable::new(&["Model", "Tools", "Pictures", "Context", "Parameters"]);
    for candidate in candidates {
        table.row([
            candidate.model_ref.clone(),
            candidate.tool.shown(),
            candidate.image.shown(),
            candidate.context_length.map_or_else(|| "-".to_owned(), thousands),
            candidate.inferred_param_b.map_or_else(|| "-".to_owned(), |billions| format!("{billions}b")),
        ]);
    }
    table.render()
}
