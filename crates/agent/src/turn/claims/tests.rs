//! Sentences in both directions: what claims a deed, and what only sounds like it.

use super::claims_a_deed;

#[test]
fn sentences_that_claim_a_deed_are_found() {
    for answer in [
        "I've saved the file.",
        "Done, sent it.",
        "Done! I've sent the email to Ana.",
        "I have created a new file called notes.md with your list.",
        "I've updated your calendar with the meeting on Friday.",
        "Saved to `notes/todo.md`.",
        "The file has been saved.",
        "Your message was sent.",
        "Your reminder is set for 9 am.",
        "I've gone ahead and deleted the old backups folder.",
        "Successfully created the configuration file.",
        "I just pushed the commit to the main branch.",
        "All done — I've installed the package and restarted the server.",
        "I’ve scheduled the appointment for Tuesday at 10:00.",
        "I wrote the results to /tmp/results.csv.",
        "Okay, I've added the event to your calendar.",
        "I have now removed the broken symlink and committed the change to the repo.",
        "The configuration has been updated and the service was restarted.",
        "I ran the tests and everything passes.",
        "- I've renamed the file to report.pdf",
        "I've moved everything into the archive folder.",
        "Booked it for two people.",
        "I've set the alarm for 7.",
        "Great news: I've deployed it.",
        "I edited src/main.rs to handle the empty case.",
        "Done. The email has been sent to Bob.",
    ] {
        assert!(claims_a_deed(answer), "{answer}");
    }
}

#[test]
fn sentences_that_claim_nothing_pass() {
    for answer in [
        "Hello! How can I help you today?",
        "I've written a poem about files for you.",
        "Here is the draft I've created:\n\nDear Ana, …",
        "I've updated the message to sound friendlier:",
        "I haven't saved the file yet.",
        "I could not send the email.",
        "I can create the file if you want.",
        "I'll save the file now.",
        "Would you like me to send it?",
        "Have you saved the file?",
        "Once you've saved the file, restart the server.",
        "To set the timer, open the app.",
        "Set the timer in the settings menu.",
        "Run the tests with `cargo test`.",
        "If I had deleted the file, it would be in the trash.",
        "The file was created by Ana on Monday.",
        "You said \"I've sent the email\" in your last message.",
        "> I've saved the file.",
        "```\nSaved to notes.md\n```",
        "I've read the file and it has three sections.",
        "I've looked at the logs; the server restarts at noon.",
        "I've thought about it and the second option is better.",
        "I've made a few changes to the wording below.",
        "Done! Anything else?",
        "Sure, 2 + 2 is 4.",
        "The function created here returns a string.",
        "I've added a joke: why did the crab cross the road?",
        "I've fixed the grammar in your sentence.",
        "She sent the email before noon.",
        "You can run it with a timer.",
        "I've never sent a message to that channel.",
        "NO_REPLY",
        "",
        "I previously saved the file to notes.md.",
        "The last commit was pushed yesterday.",
        "Yes, the meeting is at nine.",
        "I've set out the options as a list.",
        "In 2019 the order was changed, without any announcement.",
        "Ich habe die Datei gespeichert.",
    ] {
        assert!(!claims_a_deed(answer), "{answer}");
    }
}
