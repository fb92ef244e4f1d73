import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { type JsonBounds, scanJson } from '@tollgate/relay/json-scan.ts'
import {
  CONSOLE_UPLOAD_SECONDS,
  type UploadProblem,
  type Uploads,
} from '@tollgate/relay/uploads/uploads.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Stands for a body that is not JSON; routes that want a body answer it with their own text. */
export const UNREADABLE_BODY: unique symbol = Symbol('unreadable body')

/** The longest that is stored is an option of 100,000 characters, which escapes may make sixfold. */
const API_BODY_BYTES_MAX = 1024 * 1024
/** A visitor who is not signed in sends a form of a few fields. */
const STRANGERS_BODY_BYTES_MAX = 64 * 1024

/** How much of a body a route takes in; more is refused with 413. */
export const bodyBytesMax = ({ access }: Pick<ApiRoute, 'access'>): number =>
  access === 'public' || access === 'visitor' ? STRANGERS_BODY_BYTES_MAX : API_BODY_BYTES_MAX

/** Forms, and lists of ids; what is long beyond that is text. Parsing more would hold up others. */
const BODY_BOUNDS: JsonBounds = {
  placesMax: 5_000,
  itemsMax: 20_000,
  depthMax: 100,
  membersMax: 1_000,
}

/**
 * Console clients post JSON under any content type (`curl -d` sends the form type) or no body at all. None is read
 * before `receiveJson`, once it is known that its sender may ask at all.
 */
export function leaveBodiesUnread(app: FastifyInstance): void {
  // One that cannot be read would be refused before any parser is looked for.
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.headers['content-type'] !== undefined) request.headers['content-type'] = JSON_TYPE
    done()
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

/** Why there is no body to go by. */
export interface BodyProblem {
  readonly problem: UploadProblem
}

/**
 * Takes in what a route is sent, and reads it as JSON: undefined when it is empty. It may have members called
 * `__proto__`: schemas take from it what they name.
 */
export async function receiveJson(
  route: Pick<ApiRoute, 'access' | 'method'>,
  { raw, ip }: Pick<FastifyRequest, 'raw' | 'ip'>,
  { raw: response }: Pick<FastifyReply, 'raw'>,
  {
    account,
    uploads,
  }: { readonly account: number | null; readonly uploads: Pick<Uploads, 'begin'> },
): Promise<{ readonly written: unknown } | BodyProblem> {
  if (route.method === 'GET') return { written: undefined }
  const upload = uploads.begin(raw, response, { account, ip })
  try {
    const terms = { bytesMax: bodyBytesMax(route), seconds: CONSOLE_UPLOAD_SECONDS }
    const received = await upload.receive(terms)
    if (received.status !== 'received') return { problem: received.status }
    return { written: jsonOf(Buffer.concat(received.parts)) }
  } finally {
    upload.end()
  }
}

function jsonOf(bytes: Buffer): unknown {
  if (typeof scanJson(bytes, BODY_BOUNDS) === 'string') return UNREADABLE_BODY
  const text = bytes.toString('utf8').trim()
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    // Said by the route, in its own words.
    return UNREADABLE_BODY
  }
}

const JSON_TYPE = 'application/json'
