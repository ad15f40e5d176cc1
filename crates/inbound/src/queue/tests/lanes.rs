//! Places in lanes: limits, order, withdrawal, and chance.

use openclaw_config::LaneLimits;
use openclaw_testkit::Random;

use super::*;

#[test]
fn who_asks_first_begins_first_and_lanes_do_not_disturb_each_other() {
    let mut lanes = Lanes::new(LaneLimits { main: 1, subagent: 2, cron: 1 });
    assert_eq!(lanes.request(Lane::Main, 1), LaneAdmission::Start);
    assert_eq!(lanes.request(Lane::Main, 2), LaneAdmission::Wait { ahead: 0 });
    assert_eq!(lanes.request(Lane::Main, 3), LaneAdmission::Wait { ahead: 1 });
    assert_eq!(lanes.request(Lane::Main, 4), LaneAdmission::Wait { ahead: 2 });
    assert_eq!(lanes.request(Lane::Cron, 9), LaneAdmission::Start);
    assert!(lanes.withdraw(Lane::Main, &3));
    assert!(!lanes.withdraw(Lane::Main, &3));
    assert_eq!(lanes.free(Lane::Main), [2]);
    assert_eq!(lanes.free(Lane::Main), [4]);
    assert_eq!(lanes.free(Lane::Main), [0; 0]);
    assert_eq!((lanes.running(Lane::Main), lanes.running(Lane::Cron)), (0, 1));
}

#[test]
fn more_room_lets_those_begin_who_wait() {
    let mut lanes = Lanes::new(LaneLimits { main: 1, subagent: 1, cron: 1 });
    for ticket in 1..=4 {
        let _admission: LaneAdmission = lanes.request(Lane::Main, ticket);
    }
    assert_eq!(
        lanes.resize(LaneLimits { main: 3, subagent: 1, cron: 1 }),
        [(Lane::Main, 2), (Lane::Main, 3)]
    );
    assert_eq!(lanes.resize(LaneLimits { main: 1, subagent: 1, cron: 1 }), []);
    assert_eq!(lanes.free(Lane::Main), [0; 0]);
    assert_eq!(lanes.free(Lane::Main), [0; 0]);
    assert_eq!(lanes.free(Lane::Main), [4]);
}

#[test]
fn by_chance_no_lane_is_ever_too_full_and_nobody_waits_beside_a_free_place() {
    let mut random = Random::new();
    let limits = LaneLimits { main: 4, subagent: 8, cron: 1 };
    let mut lanes = Lanes::new(limits);
    let all = [(Lane::Main, limits.main), (Lane::Subagent, limits.subagent), (Lane::Cron, limits.cron)];
    let mut begun = [Vec::new(), Vec::new(), Vec::new()];
    for ticket in 0..5_000 {
        let index = usize::try_from(random.below(3)).unwrap();
        let (lane, _) = all[index];
        if random.below(2) == 0 {
            if lanes.request(lane, ticket) == LaneAdmission::Start {
                begun[index].push(ticket);
            }
        } else if lanes.running(lane) > 0 {
            begun[index].extend(lanes.free(lane));
        }
        for (lane, limit) in all {
            assert!(lanes.running(lane) <= limit);
            assert!(lanes.waiting(lane) == 0 || lanes.running(lane) == limit);
        }
    }
    assert!(begun.iter().all(|tickets| tickets.is_sorted()));
}
