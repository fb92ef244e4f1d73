import { broken, edit, type Mutation } from '../mutation.ts'
import {
  COMPARE_PAIR,
  KEPT_PAIR,
  PAIR_UP,
  SIMULATED_WATCH,
  TIMELINES_LOG,
  WATCH,
  WATCHED,
} from './files.ts'

/** Log and database as a pair: a log that was exchanged, or put back beside a database that knows more of it. */
export const pairMutations: readonly Mutation[] = [
  broken(
    'P',
    'not-compared',
    'log and database are not compared at the start',
    edit(
      COMPARE_PAIR,
      'if (newest.log !== noted.log) throw otherLog(pair.places, noted, timelines, newest)',
      'if (newest.log !== noted.log) return { status: "paired", timelines: [first, ...others], isNoted: true }',
    ),
  ),
  broken(
    'P',
    'not-looked-up',
    'what the database knows of the log is not looked up at the start',
    edit(
      COMPARE_PAIR,
      'if (noted.seen !== null && !(',
      'if (noted.seen !== null && noted.log === "" && !(',
    ),
  ),
  broken(
    'P',
    'not-noted',
    'the database does not learn how far the log was seen',
    edit(KEPT_PAIR, 'await table.note(watch.log, seen)', ''),
  ),
  broken(
    'P',
    'empty-is-ours',
    'an empty log counts as one whose first start was cut off',
    edit(
      COMPARE_PAIR,
      "if (noted.seen === null) return { status: 'begun'",
      "if (noted !== null) return { status: 'begun'",
    ),
  ),
  broken(
    'P',
    'first-start-again',
    'the identity is ensured once more after it was compared',
    edit(
      PAIR_UP,
      'return found.timelines',
      'await beginTimelines(options, found.timelines[0].log, momentOf(clock))\n        return found.timelines',
    ),
  ),
  broken(
    'P',
    'first-start-late',
    'a first start rests on reads from before a standstill',
    edit(TIMELINES_LOG, ' && elapsedMs(comparedAt, writer.clock) <= READS_LAST_MS', ''),
  ),
  broken(
    'P',
    'start-trusted',
    'a connection that is lost while a process starts is not held against the log',
    edit(
      SIMULATED_WATCH,
      'watches.add(life, watch)\n  watch.suspect()',
      'watches.add(life, watch)',
    ),
  ),
  broken(
    'P',
    'read-back',
    'the timeline that is opened rests on a read',
    edit(
      TIMELINES_LOG,
      'return [...loaded.timelines, ...opened]',
      'return (await load(store)).timelines',
    ),
  ),
  broken(
    'P',
    'loss-unsuspected',
    'a lost connection does not bring the log into doubt',
    edit(WATCH, 'this.#isSuspected = true\n    this.#alarms += 1', 'this.#alarms += 1'),
  ),
  broken(
    'P',
    'read-in-doubt',
    'a log in doubt is read, and what it says is decided by',
    edit(WATCHED, 'await watch.clear()\n    for await', 'for await'),
  ),
  broken(
    'P',
    'noted-in-doubt',
    'what a log in doubt says counts as seen of ours',
    edit(WATCH, 'if (this.isClear()) this.know(event)', 'this.know(event)'),
    edit(WATCHED, 'await watch.clear()\n    for await', 'for await'),
  ),
  broken(
    'P',
    'followed-in-doubt',
    'a follower takes what a log in doubt delivers',
    edit(WATCHED, 'if (!watch.isClear()) break', ''),
    edit(WATCHED, 'await watch.cleared(signal)', ''),
  ),
]
