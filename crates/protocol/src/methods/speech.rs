//! `talk.*`, `tts.*` and `voicewake.*`: live speech, spoken answers and the words that wake a device.
//!
//! Only the shapes. Keys of speech services are secrets and leave only for those with the scope; the handler decides.
//! The change of wake words is also an event.

use std::collections::BTreeMap;

use openclaw_types::UnixMillis;

use super::AnyParams;
use crate::method::methods;
use crate::shape::{SecretText, choices, object};

methods! {
    /// Answers the settings of live speech.
    TalkConfig = "talk.config": TalkConfigParams => TalkConfigResult;
    /// Switches live speech.
    TalkMode = "talk.mode": TalkModeParams => TalkModeResult;
    /// Answers whether answers are spoken.
    TtsStatus = "tts.status": AnyParams => TtsStatusResult;
    /// Lists speech services.
    TtsProviders = "tts.providers": AnyParams => TtsProvidersResult;
    /// Has answers spoken from now on.
    TtsEnable = "tts.enable": AnyParams => TtsEnabledResult;
    /// Has answers no longer spoken.
    TtsDisable = "tts.disable": AnyParams => TtsEnabledResult;
    /// Speaks a text into a file.
    TtsConvert = "tts.convert": TtsConvertParams => TtsConvertResult;
    /// Chooses the speech service.
    TtsSetProvider = "tts.setProvider": TtsSetProviderParams => TtsSetProviderResult;
    /// Answers the words that wake a listening device.
    VoicewakeGet = "voicewake.get": AnyParams => VoicewakeResult;
    /// Replaces the words that wake a listening device.
    VoicewakeSet = "voicewake.set": VoicewakeSetParams => VoicewakeResult;
}

choices! {
    /// When answers are spoken.
    TtsAuto { Off = "off", Always = "always", Inbound = "inbound", Tagged = "tagged" }
    /// A speech service that can be chosen.
    TtsProviderId { OpenAi = "openai", ElevenLabs = "elevenlabs", Edge = "edge" }
}

object! {
    /// Params of `talk.config`.
    #[derive(Eq, Default)]
    closed TalkConfigParams {
        /// Needs `operator.talk.secrets`.
        include_secrets?: bool,
    }
    /// Result of `talk.config`.
    open TalkConfigResult {
        config: TalkSettings,
    }
    /// Settings live speech depends on.
    #[derive(Default)]
    open TalkSettings {
        talk?: TalkSection,
        session?: TalkSession,
        ui?: TalkUi,
    }
    /// Voices and services of live speech.
    #[derive(Default)]
    open TalkSection {
        provider?: String,
        providers?: BTreeMap<String, TalkProvider>,
        voice_id?: String,
        voice_aliases?: BTreeMap<String, String>,
        model_id?: String,
        output_format?: String,
        api_key?: SecretText,
        interrupt_on_speech?: bool,
    }
    /// One service of live speech.
    #[derive(Default)]
    open TalkProvider {
        voice_id?: String,
        voice_aliases?: BTreeMap<String, String>,
        model_id?: String,
        output_format?: String,
        api_key?: SecretText,
        ..rest
    }
    /// The session live speech talks to.
    #[derive(Eq, Default)]
    open TalkSession {
        main_key?: String,
    }
    /// How live speech is shown.
    #[derive(Eq, Default)]
    open TalkUi {
        seam_color?: String,
    }
    /// Params of `talk.mode`.
    closed TalkModeParams {
        enabled: bool,
        phase?: String,
    }
    /// Result of `talk.mode`.
    open TalkModeResult {
        enabled: bool,
        phase: Option<String>,
        ts: UnixMillis,
    }
    /// Result of `tts.status`.
    open TtsStatusResult {
        enabled: bool,
        auto: TtsAuto,
        provider: String,
        fallback_provider: Option<String>,
        fallback_providers: Vec<String>,
        prefs_path: String,
        "hasOpenAIKey" has_open_ai_key: bool,
        has_eleven_labs_key: bool,
        edge_enabled: bool,
    }
    /// Result of `tts.providers`.
    open TtsProvidersResult {
        providers: Vec<TtsProvider>,
        active: String,
    }
    /// A speech service.
    open TtsProvider {
        id: String,
        name: String,
        configured: bool,
        models: Vec<String>,
        voices?: Vec<String>,
    }
    /// Result of `tts.enable` and `tts.disable`.
    #[derive(Eq)]
    open TtsEnabledResult {
        enabled: bool,
    }
    /// Params of `tts.convert`.
    open TtsConvertParams {
        text: String,
        channel?: String,
    }
    /// Result of `tts.convert`.
    open TtsConvertResult {
        audio_path: String,
        provider: String,
        output_format: String,
        voice_compatible: bool,
    }
    /// Params of `tts.setProvider`.
    open TtsSetProviderParams {
        provider: TtsProviderId,
    }
    /// Result of `tts.setProvider`.
    open TtsSetProviderResult {
        provider: String,
    }
    /// Result of `voicewake.get` and `voicewake.set`.
    #[derive(Eq)]
    open VoicewakeResult {
        triggers: Vec<String>,
    }
    /// Params of `voicewake.set`.
    #[derive(Eq)]
    open VoicewakeSetParams {
        triggers: Vec<String>,
    }
}
