import type { ModelRequest } from '../protocols/model-request.ts'
import { isRefusal, type Refusal, refusal } from '../refusal.ts'
import { encodingOf, tooLarge } from '../uploads/decompress.ts'
import {
  RELAY_UPLOAD_SECONDS,
  RETRY_AFTER_SECONDS,
  type Upload,
  type UploadProblem,
} from '../uploads/uploads.ts'
import type { Caller } from './authenticate.ts'
import type { RelayDeps } from './deps.ts'
import type { Exchange } from './exchange.ts'
import { lookForQuota } from './hold.ts'
import { STOPPED } from './stopped.ts'

/** Larger bodies are taken in of accounts only that could pay for anything. */
const LOOKED_AT_ABOVE_BYTES = 64 * 1024

/** The payer, as far as the headers tell. */
export type Payer = Pick<Caller, 'user' | 'token'>

/**
 * Takes in a request's body and reads it. Bodies are refused from the headers alone where those suffice: encodings that
 * are not read here, lengths beyond the limit, and anything large while account or token have nothing available.
 */
export async function receive(
  exchange: Exchange,
  payer: Payer,
  upload: Upload,
  deps: RelayDeps,
): Promise<ModelRequest | Refusal> {
  const { bodyBytesMax: bytesMax } = deps.limits
  const encoding = encodingOf(exchange.headers['content-encoding'])
  if (encoding !== null && typeof encoding === 'object') return encoding
  let unwelcome: Refusal | null = null
  const received = await upload.receive({
    bytesMax,
    seconds: RELAY_UPLOAD_SECONDS,
    large: {
      // The size of a compressed body once decompressed is not known before.
      bytes: encoding === null ? LOOKED_AT_ABOVE_BYTES : 0,
      isWelcome: async () => {
        unwelcome = await lookForQuota(payer, deps)
        return unwelcome === null
      },
    },
  })
  if (exchange.answer.isStopped) return STOPPED
  if (received.status !== 'received') return unwelcome ?? refusalOf(received.status, bytesMax)
  const { parts } = received
  const request = await deps.bodies.read(exchange.endpoint, { parts, encoding, bytesMax }, upload)
  if (isRefusal(request) || encoding === null) return request
  // The compressed bytes are not kept.
  upload.give(received.bytes)
  return request
}

function refusalOf(problem: UploadProblem, bytesMax: number): Refusal {
  switch (problem) {
    case 'too-large':
      return tooLarge(bytesMax)
    case 'too-slow':
    case 'too-long':
      return TOO_SLOW
    case 'no-room':
    case 'unwelcome':
      return NO_ROOM
    case 'aborted':
      return LEFT
    default:
      return problem satisfies never
  }
}

const TOO_SLOW = refusal(
  408,
  'request_timeout',
  'the body did not arrive fast enough; send it again',
)
const NO_ROOM = refusal(
  503,
  'too_many_uploads',
  'too many bytes of requests are on their way here; try again shortly',
  { retryAfterSeconds: RETRY_AFTER_SECONDS },
)
const LEFT = refusal(499, 'client_closed_request', 'the client closed the connection')
