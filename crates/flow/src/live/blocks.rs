//! An answer in blocks: each is kept for sending as soon as it is whole, with a pause before it where people make one.

use openclaw_delivery::{Block, BlockStream, CleanAnswer, Coalescer, HumanDelay, Marks, Tags};
use openclaw_types::UnixMillis;

use super::outlet::Outlet;
use super::sent::{SentForm, SentMark, SentSoFar};
use super::settings::BlockManner;
use crate::flow::Inner;
use crate::outbox::chance_bytes;

/// Gives the answers of one run in blocks.
pub(super) struct Blocks {
    manner: BlockManner,
    /// Nothing while the words so far may have left before.
    stream: Option<BlockStream>,
    coalescer: Option<Coalescer>,
    /// Which answer the blocks belong to, once one has left.
    number: Option<u64>,
    /// When the last block leaves.
    last: Option<UnixMillis>,
    /// A block of this message could not be kept: everything behind it leaves with the whole answer.
    broken: bool,
}

/// A message under way, as far as it came.
pub(super) struct Words<'a> {
    /// All its words.
    pub(super) all: &'a str,
    /// Those that came just now.
    pub(super) new: &'a str,
    /// How it is sent.
    pub(super) tags: Tags,
}

impl Blocks {
    pub(super) fn new(manner: BlockManner) -> Self {
        let coalescer = coalescer(&manner);
        Self { manner, stream: None, coalescer, number: None, last: None, broken: false }
    }

    /// A message begins.
    pub(super) fn begin(&mut self) {
        self.stream = None;
        self.number = None;
        self.broken = false;
        self.coalescer = coalescer(&self.manner);
    }

    /// What came of the message is void. What has left has left.
    pub(super) fn void(&mut self, left: &mut SentSoFar) {
        if let Some(number) = self.number {
            left.release(number);
        }
        self.begin();
    }

    /// More words came.
    pub(super) async fn push(
        &mut self,
        flow: &Inner,
        outlet: &mut Outlet,
        left: &mut SentSoFar,
        words: Words<'_>,
    ) {
        let blocks = match &mut self.stream {
            Some(stream) => stream.push(words.new),
            None if left.may_hold(words.all) => return,
            None => self.start(left, words.all),
        };
        self.leave(flow, outlet, left, (blocks, &words)).await;
    }

    /// The message is whole: everything leaves.
    pub(super) async fn end(
        &mut self,
        flow: &Inner,
        outlet: &mut Outlet,
        left: &mut SentSoFar,
        words: Words<'_>,
    ) {
        let mut blocks = match &mut self.stream {
            Some(stream) => stream.push(words.new),
            None => self.start(left, words.all),
        };
        blocks.extend(self.stream.iter_mut().flat_map(BlockStream::message_end));
        self.leave(flow, outlet, left, (blocks, &words)).await;
        if let Some(block) = self.coalescer.as_mut().and_then(Coalescer::flush) {
            self.keep(flow, outlet, left, (block, words.all)).await;
        }
        left.pass_over();
    }

    /// When to look again, unless something comes before.
    pub(super) fn due(&self) -> Option<UnixMillis> {
        self.coalescer.as_ref().and_then(Coalescer::due)
    }

    /// What has waited long enough leaves.
    pub(super) async fn tick(&mut self, flow: &Inner, outlet: &mut Outlet, left: &mut SentSoFar, all: &str) {
        let now = flow.now();
        if let Some(block) = self.coalescer.as_mut().and_then(|coalescer| coalescer.tick(now)) {
            self.keep(flow, outlet, left, (block, all)).await;
        }
    }

    /// Begins behind what has left before.
    fn start(&mut self, left: &mut SentSoFar, all: &str) -> Vec<Block> {
        let (number, at) = left.take_blocks(all).map_or((None, 0), |(number, at)| (Some(number), at));
        self.number = number;
        let stream = self.stream.insert(BlockStream::resumed(self.manner.blocks, all, at));
        stream.push("")
    }

    async fn leave(
        &mut self,
        flow: &Inner,
        outlet: &mut Outlet,
        left: &mut SentSoFar,
        (blocks, words): (Vec<Block>, &Words<'_>),
    ) {
        for block in blocks {
            let block = Block { tags: words.tags.clone(), ..block };
            let ready = match &mut self.coalescer {
                Some(coalescer) => coalescer.push(block, flow.now()),
                None => vec![block],
            };
            for block in ready {
                self.keep(flow, outlet, left, (block, words.all)).await;
            }
        }
    }

    /// Keeps one block for sending. What cannot be kept leaves with the whole answer.
    async fn keep(
        &mut self,
        flow: &Inner,
        outlet: &mut Outlet,
        left: &mut SentSoFar,
        (block, all): (Block, &str),
    ) {
        if self.broken {
            return;
        }
        let number = *self.number.get_or_insert_with(|| left.fresh());
        let mark = SentMark::after(all.get(..block.end).unwrap_or(all));
        let name = SentSoFar::name(SentForm::Blocks, number, mark);
        let Block { text, tags, .. } = block;
        let answer = CleanAnswer { text, marks: Marks { tags, ..Marks::default() } };
        let at = self.moment(flow);
        match outlet.keep(flow, &name, answer, at).await {
            Ok(()) => {
                self.last = Some(at);
                left.add(SentForm::Blocks, number, mark);
                // Taken: the message under way is the one it belongs to.
                left.hold(number);
            }
            Err(error) => {
                self.broken = true;
                tracing::error!(subsystem = "outbox", run = %outlet.run, %error, "a part of an answer could not be kept for sending; it goes with the rest");
            }
        }
    }

    /// When the next block leaves: at once, or as a person would write it.
    fn moment(&self, flow: &Inner) -> UnixMillis {
        let now = flow.now();
        match self.last {
            Some(last) if self.manner.delay != HumanDelay::Off => {
                let from = if last > now { last } else { now };
                from.plus(self.manner.delay.pause(u64::from_le_bytes(chance_bytes())))
            }
            _ => now,
        }
    }
}

fn coalescer(manner: &BlockManner) -> Option<Coalescer> {
    manner.coalesce.map(|settings| Coalescer::new(settings, manner.blocks.prefer))
}
