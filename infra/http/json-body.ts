import type { ApiRoute } from '@tollgate/domain/ports/api-route.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Stands for a body that is not JSON; routes that want a body answer it with their own text. */
export const UNREADABLE_BODY: unique symbol = Symbol('unreadable body')

/** The longest that is stored is an option of 100,000 characters, which escapes may make sixfold. */
export const API_BODY_BYTES_MAX = 1024 * 1024
/** Whoever is not signed in sends a form of a few fields. */
const STRANGERS_BODY_BYTES_MAX = 64 * 1024

/** How much of a body a route takes in; more is refused with 413. */
export const bodyBytesMax = ({ access }: Pick<ApiRoute, 'access'>): number =>
  access === 'public' || access === 'visitor' ? STRANGERS_BODY_BYTES_MAX : API_BODY_BYTES_MAX

/**
 * Console clients post JSON under any content type (`curl -d` sends the form type) or no body at all: everything is
 * taken in as text. `jsonOf` makes something of it, once it is known that its sender may ask at all.
 */
export function takeAnyBodyAsText(app: FastifyInstance): void {
  // One that cannot be read would be refused before any parser is looked for.
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.headers['content-type'] !== undefined) request.headers['content-type'] = JSON_TYPE
    done()
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
}

/**
 * What a body says, read as JSON; undefined when it is empty. It may have members called `__proto__`: schemas take from
 * it what they name.
 */
export function jsonOf({ body }: Pick<FastifyRequest, 'body'>): unknown {
  const text = typeof body === 'string' ? body.trim() : ''
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    // Said by the route, in its own words.
    return UNREADABLE_BODY
  }
}

const JSON_TYPE = 'application/json'
