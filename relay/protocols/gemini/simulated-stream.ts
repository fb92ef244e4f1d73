import { isObject, type JsonObject } from '../../json.ts'
import { EVENT_PLACES_MAX } from '../../streams/json-events.ts'
import { eventBytes } from '../simulated-stream.ts'
import { finishOf } from './frames.ts'

/**
 * The frames of a stream that says the same as a whole answer, which is a frame itself, or as a list of frames: so
 * Google answers where events are not asked for, or not understood. Null when it is none.
 */
export function simulatedStream(answer: unknown): Buffer | null {
  const frames = (Array.isArray(answer) ? (answer as readonly unknown[]) : [answer]).filter(
    isObject,
  )
  const last = frames.at(-1)
  if (last === undefined) return null
  return eventBytes(
    [...frames.slice(0, -1), finished(last)].map((data) => ({ data })),
    EVENT_PLACES_MAX,
  )
}

/** Candidates of a whole answer are over, whether or not it says so. */
function finished(frame: JsonObject): JsonObject {
  const { candidates } = frame
  if (!Array.isArray(candidates)) return frame
  const ended = (candidates as readonly unknown[]).map((candidate) =>
    isObject(candidate) && finishOf(candidate) === null
      ? { ...candidate, finishReason: 'STOP' }
      : candidate,
  )
  return { ...frame, candidates: ended }
}
