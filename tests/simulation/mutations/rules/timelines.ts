import { broken, edit, type Mutation } from '../mutation.ts'
import { DECIDER, QUESTIONS, TIMELINES, WATCH, WATCHED } from './files.ts'

/** A log that was put back to an older state. */
export const timelinesMutations: readonly Mutation[] = [
  broken(
    'T',
    'names-come-again',
    'holds are not named after timeline and relay',
    edit(
      DECIDER,
      'holdId(account, nextRevision, { log: currentTimeline(timelines).log, relay })',
      'holdId(account, nextRevision, null)',
    ),
  ),
  broken(
    'T',
    'worked-with',
    'holds of another timeline are worked with',
    edit(
      TIMELINES,
      'logOfHold(hold, timelines) !== currentTimeline(timelines).log',
      'hold === String(timelines.length)',
    ),
  ),
  broken(
    'T',
    'not-noticed',
    'what was seen is not looked up in the log',
    edit(
      WATCH,
      'return isThere(this.#options.store, mark)',
      'return isThere(this.#options.store, mark).then(() => true)',
    ),
  ),
  broken(
    'T',
    'not-stopped',
    'a log that was put back is written to all the same',
    edit(WATCHED, 'await watch.clearToAppend()', ''),
  ),
  broken(
    'T',
    'extension-not-told',
    'the answer to an extension does not say how far the log is seen',
    edit(
      QUESTIONS,
      'if (answer.seen !== undefined) log.learn(answer.seen)\n    hold.extensions',
      'hold.extensions',
    ),
  ),
  broken(
    'T',
    'lost-timeline-accepted',
    'a hold that another timeline granted is drawn from',
    edit(QUESTIONS, 'named !== null && named !== log.log', 'named === log.log && named === null'),
  ),
]
