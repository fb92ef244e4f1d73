import type { FastifyInstance } from 'fastify'

/** Stands for a body that is not JSON; routes that want a body answer it with their own text. */
export const UNREADABLE_BODY: unique symbol = Symbol('unreadable body')

/**
 * Console clients post JSON under any content type (`curl -d` sends the form type) or no body at all: everything is
 * read as JSON, an empty body as none. Prototype keys are dropped.
 */
export function readAnyBodyAsJson(app: FastifyInstance): void {
  // One that cannot be read would be refused before any parser is looked for.
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.headers['content-type'] !== undefined) request.headers['content-type'] = JSON_TYPE
    done()
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    const text = body.toString().trim()
    if (text === '') return done(null, undefined)
    try {
      return done(null, JSON.parse(text, dropPrototypeKeys))
    } catch {
      // Said by the route, in its own words.
      return done(null, UNREADABLE_BODY)
    }
  })
}

const JSON_TYPE = 'application/json'

const dropPrototypeKeys = (key: string, value: unknown): unknown =>
  key === '__proto__' || key === 'constructor' ? undefined : value
