//! The same claims in other languages, more narrowly: the speaker, a deed that is done and a thing outside the
//! conversation in one sentence, and no word that takes it back.

use super::{Sentence, is_path};

/// What a language needs to claim a deed.
struct Tongue {
    /// The speaker together with the sign that it is done; empty where the deed's own form holds both.
    speaker: &'static [&'static [&'static str]],
    /// Deeds, as they are said when they are done.
    deeds: &'static [&'static str],
    /// Things that are outside the conversation.
    things: &'static [&'static str],
    /// Words that say that it is not so, not yet so, or shown right here.
    doubts: &'static [&'static str],
}

#[rustfmt::skip]
const SPANISH_THINGS: &[&str] = &["archivo", "archivos", "fichero", "carpeta", "mensaje", "correo", "cita", "calendario",
    "recordatorio", "alarma", "configuración", "paquete", "servidor", "servicio", "script", "comando"];
const SPANISH_DOUBTS: &[&str] = &[
    "no", "nunca", "ningún", "si", "cuando", "podría", "puedo", "ayer", "sobre", "borrador", "usted", "él",
    "ella", "por",
];

#[rustfmt::skip]
const TONGUES: &[Tongue] = &[
    // German
    Tongue {
        speaker: &[&["ich", "habe"], &["habe", "ich"], &["ich", "hab"], &["wurde"], &["wurden"]],
        deeds: &["gespeichert", "gesendet", "geschickt", "verschickt", "gelöscht", "angelegt", "erstellt", "installiert",
            "hochgeladen", "heruntergeladen", "verschoben", "umbenannt", "geändert", "aktualisiert", "eingetragen", "gebucht",
            "gestellt", "gestartet", "ausgeführt", "geschrieben"],
        things: &["datei", "dateien", "ordner", "nachricht", "mail", "e-mail", "termin", "kalender", "erinnerung", "wecker",
            "konfiguration", "einstellung", "einstellungen", "paket", "server", "dienst", "skript", "befehl", "sicherung"],
        doubts: &["nicht", "nie", "kein", "keine", "keinen", "wenn", "falls", "sobald", "würde", "könnte", "kann", "soll",
            "gestern", "vorhin", "entwurf", "über", "du", "sie", "er", "unten", "von"],
    },
    // French
    Tongue {
        speaker: &[&["j'ai"], &["nous", "avons"], &["été"]],
        deeds: &["enregistré", "envoyé", "supprimé", "créé", "installé", "téléchargé", "déplacé", "renommé", "modifié",
            "ajouté", "programmé", "réservé", "lancé", "exécuté", "sauvegardé", "enregistrée", "envoyée", "supprimée"],
        things: &["fichier", "fichiers", "dossier", "message", "courriel", "e-mail", "mail", "rendez-vous", "calendrier",
            "agenda", "rappel", "alarme", "configuration", "paquet", "serveur", "service", "script", "commande"],
        doubts: &["pas", "jamais", "aucun", "si", "quand", "pourrais", "peux", "hier", "sur", "brouillon", "tu", "vous", "il", "elle",
            "par"],
    },
    // Spanish, said with a helping verb and without.
    Tongue {
        speaker: &[&["he"], &["hemos"], &["ha", "sido"]],
        deeds: &["guardado", "enviado", "eliminado", "borrado", "creado", "instalado", "subido", "descargado", "movido",
            "renombrado", "modificado", "añadido", "programado", "reservado", "ejecutado"],
        things: SPANISH_THINGS,
        doubts: SPANISH_DOUBTS,
    },
    Tongue {
        speaker: &[&[]],
        deeds: &["guardé", "envié", "eliminé", "borré", "creé", "instalé", "subí", "descargué", "moví", "renombré", "modifiqué",
            "añadí", "programé", "reservé", "ejecuté"],
        things: SPANISH_THINGS,
        doubts: SPANISH_DOUBTS,
    },
    // Portuguese
    Tongue {
        speaker: &[&[]],
        deeds: &["salvei", "guardei", "enviei", "apaguei", "excluí", "criei", "instalei", "baixei", "movi", "renomeei",
            "alterei", "adicionei", "agendei", "reservei", "executei"],
        things: &["arquivo", "arquivos", "ficheiro", "pasta", "mensagem", "e-mail", "email", "compromisso", "calendário",
            "lembrete", "alarme", "configuração", "pacote", "servidor", "serviço", "script", "comando"],
        doubts: &["não", "nunca", "nenhum", "se", "quando", "poderia", "posso", "ontem", "sobre", "rascunho"],
    },
    // Italian
    Tongue {
        speaker: &[&["ho"], &["abbiamo"], &["è", "stato"], &["è", "stata"]],
        deeds: &["salvato", "inviato", "mandato", "eliminato", "cancellato", "creato", "installato", "scaricato", "spostato",
            "rinominato", "modificato", "aggiunto", "programmato", "prenotato", "eseguito", "salvata", "inviata"],
        things: &["file", "cartella", "messaggio", "mail", "email", "appuntamento", "calendario", "promemoria", "sveglia",
            "configurazione", "pacchetto", "server", "servizio", "script", "comando"],
        doubts: &["non", "mai", "nessun", "se", "quando", "potrei", "posso", "ieri", "bozza", "lui", "lei", "da"],
    },
    // Dutch
    Tongue {
        speaker: &[&["ik", "heb"], &["heb", "ik"]],
        deeds: &["opgeslagen", "verzonden", "verstuurd", "gestuurd", "verwijderd", "gemaakt", "aangemaakt", "geïnstalleerd",
            "verplaatst", "hernoemd", "gewijzigd", "toegevoegd", "ingepland", "geboekt", "uitgevoerd"],
        things: &["bestand", "bestanden", "map", "bericht", "mail", "e-mail", "afspraak", "agenda", "herinnering", "wekker",
            "configuratie", "pakket", "server", "dienst", "script", "opdracht"],
        doubts: &["niet", "nooit", "geen", "als", "wanneer", "zou", "kan", "gisteren", "over", "concept", "jij", "u"],
    },
];

/// The deeds of all these languages.
pub(super) fn deeds() -> impl Iterator<Item = &'static str> {
    TONGUES.iter().flat_map(|tongue| tongue.deeds).copied()
}

/// Whether a sentence claims a deed in one of these languages.
pub(super) fn claims(sentence: &Sentence<'_>) -> bool {
    let words: Vec<&str> = sentence.words.iter().map(AsRef::as_ref).collect();
    TONGUES.iter().any(|tongue| tongue.claims(&words))
}

impl Tongue {
    fn claims(&self, words: &[&str]) -> bool {
        let Some(deed) = words.iter().position(|word| self.deeds.contains(word)) else { return false };
        if words.iter().any(|word| self.doubts.contains(word)) {
            return false;
        }
        let before = words.get(..deed).unwrap_or_default();
        let spoken =
            |sign: &[&str]| sign.is_empty() || before.windows(sign.len()).any(|window| window == sign);
        let thing =
            words.iter().any(|word| self.things.iter().any(|thing| is_the(word, thing)) || is_path(word));
        thing && self.speaker.iter().any(|sign| spoken(sign))
    }
}

/// Whether a word is a thing, an article in front of it included.
fn is_the(word: &str, thing: &str) -> bool {
    word == thing || word.strip_suffix(thing).is_some_and(|article| matches!(article, "l'" | "un'" | "dell'"))
}
