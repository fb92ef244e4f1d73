import type { ModelRequest } from '../protocols/model-request.ts'

/**
 * A bound above the prompt's tokens, from bytes alone: every token is at least one byte, and the JSON around the text
 * is more than what a provider adds for framing. Pictures, files and audio in the body do not count by their bytes;
 * audio is bounded apart (`request.media.audioTokens`).
 */
export function promptUpperBound(request: ModelRequest): number {
  const { bytes, tokens } = request.media
  return Math.max(1, request.raw.length - bytes) + tokens + historyOf(request)
}

/** A bound on the input that lies with the provider: no count of the body finds it. */
export const uncountedBound = (request: ModelRequest): number =>
  historyOf(request) + (request.cachedBound ?? 0)

/** A token of the languages that tokenise worst is about three bytes. */
const BYTES_PER_TOKEN = 3

/** About as many tokens as the prompt has, from bytes alone: for when it cannot be counted. */
export function roughPrompt(request: ModelRequest): number {
  const { bytes, tokens, audioTokens } = request.media
  const text = Math.ceil(Math.max(1, request.raw.length - bytes) / BYTES_PER_TOKEN)
  return text + tokens + audioTokens + historyOf(request)
}

/** A stored response is input of the one that goes on from it. */
const historyOf = ({ previous }: ModelRequest): number => previous?.tokens ?? 0
