import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Plugin } from 'vite'
import { answer } from './mock-routes.ts'

/** Answers `/api` from memory inside Vite's own server, so that screens can be worked on without a Tollgate. */
export function mockApi(): Plugin {
  return {
    name: 'tollgate-mock-api',
    configureServer(server) {
      server.middlewares.use('/api', (request, response) => void handle(request, response))
    },
  }
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  const url = new URL(request.url ?? '/', 'http://mock')
  const { status = 200, ...body } = answer({
    method: request.method ?? 'GET',
    path: url.pathname.replace(/\/$/, ''),
    query: url.searchParams,
    body: text ? (JSON.parse(text) as Record<string, unknown>) : {},
  })
  response.statusCode = status
  response.setHeader('content-type', 'application/json')
  response.setHeader('x-oneapi-request-id', `mock${Date.now()}`)
  response.end(JSON.stringify(body))
}
