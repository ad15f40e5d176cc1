//! `wizard.*`: setting the gateway up step by step from a client.
//!
//! Only the shapes. The steps themselves are made by the gateway's wizard; one runs at a time.

use serde_json::Value;

use crate::method::methods;
use crate::shape::{NonEmpty, choices, object};

methods! {
    /// Starts the wizard.
    WizardStart = "wizard.start": WizardStartParams => WizardStartResult;
    /// Answers a step and gets the next.
    WizardNext = "wizard.next": WizardNextParams => WizardNextResult;
    /// Stops the wizard.
    WizardCancel = "wizard.cancel": WizardSessionParams => WizardStatusResult;
    /// Asks how the wizard is doing.
    WizardStatus = "wizard.status": WizardSessionParams => WizardStatusResult;
}

choices! {
    /// What is set up.
    WizardMode { Local = "local", Remote = "remote" }
    /// How far the wizard is.
    WizardRunStatus { Running = "running", Done = "done", Cancelled = "cancelled", Error = "error" }
    /// What a step asks for.
    WizardStepType {
        Note = "note",
        Select = "select",
        Text = "text",
        Confirm = "confirm",
        Multiselect = "multiselect",
        Progress = "progress",
        Action = "action",
    }
    /// Who carries a step out.
    WizardExecutor { Gateway = "gateway", Client = "client" }
}

object! {
    /// Params of `wizard.start`.
    closed WizardStartParams {
        mode?: WizardMode,
        workspace?: String,
    }
    /// Result of `wizard.start`.
    open WizardStartResult {
        session_id: String,
        done: bool,
        step?: WizardStep,
        status?: WizardRunStatus,
        error?: String,
    }
    /// A step.
    open WizardStep {
        id: String,
        "type" step_type: WizardStepType,
        title?: String,
        message?: String,
        options?: Vec<WizardOption>,
        initial_value?: Value,
        placeholder?: String,
        /// The answer is a secret and not to be shown.
        sensitive?: bool,
        executor?: WizardExecutor,
    }
    /// A choice of a step.
    open WizardOption {
        value: Value,
        label: String,
        hint?: String,
    }
    /// Params of `wizard.next`.
    closed WizardNextParams {
        session_id: NonEmpty,
        answer?: WizardAnswer,
    }
    /// The answer to a step.
    closed WizardAnswer {
        step_id: NonEmpty,
        value?: Value,
    }
    /// Result of `wizard.next`.
    open WizardNextResult {
        done: bool,
        step?: WizardStep,
        status?: WizardRunStatus,
        error?: String,
    }
    /// Params of `wizard.cancel` and `wizard.status`.
    closed WizardSessionParams {
        session_id: NonEmpty,
    }
    /// Result of `wizard.cancel` and `wizard.status`.
    open WizardStatusResult {
        status: WizardRunStatus,
        error?: String,
    }
}
