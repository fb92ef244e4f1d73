import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** How a stand-in answers: as it should, with its own trouble, never, no JSON, or JSON in which everything is empty. */
export type Behaviour = 'well' | 'broken' | 'hanging' | 'garbage' | 'empty'

/** One call as it came, for handlers to check. */
export interface ProviderCall {
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** The answer to give; a refusal says what the stand-in found wrong with what it was sent. */
export type ProviderAnswer =
  | { readonly json: unknown }
  | { readonly redirect: string }
  | { readonly refused: string }

/** Answers calls by `METHOD /path`. */
export type ProviderHandlers = Readonly<
  Record<string, (call: ProviderCall) => ProviderAnswer | Promise<ProviderAnswer>>
>

/** A service of somebody else, stood in for on this machine. */
export interface ProviderServer {
  readonly url: string
  /** Faults in what it was sent, oldest first. */
  readonly refusals: string[]
  /** How often each `METHOD /path` was called. */
  readonly calls: Map<string, number>
  /** From now on, at one path (`METHOD /path`) or everywhere. */
  behave(behaviour: Behaviour, at?: string): void
  stop(): Promise<void>
}

export async function startProviderServer(handlers: ProviderHandlers): Promise<ProviderServer> {
  const refusals: string[] = []
  const calls = new Map<string, number>()
  let misbehaving: { readonly behaviour: Behaviour; readonly at: string | null } = {
    behaviour: 'well',
    at: null,
  }
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      refusals.push(String(error))
      response.writeHead(500).end()
    })
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://provider')
    const name = `${request.method} ${url.pathname}`
    calls.set(name, (calls.get(name) ?? 0) + 1)
    const body = await text(request)
    const { at } = misbehaving
    const behaviour = at === null || at === name ? misbehaving.behaviour : 'well'
    if (behaviour === 'hanging') return
    if (behaviour === 'broken') return void response.writeHead(500).end('out of order')
    if (behaviour === 'garbage') return send(response, 200, '<html>not what you think</html>')
    if (behaviour === 'empty') return send(response, 200, '{}')
    const handle = handlers[name]
    if (handle === undefined) return send(response, 404, '{"error":"not_found"}')
    const { headers } = request
    const answered = await handle({ path: url.pathname, query: url.searchParams, headers, body })
    if ('json' in answered) return send(response, 200, JSON.stringify(answered.json))
    if ('redirect' in answered) {
      return void response.writeHead(302, { location: answered.redirect }).end()
    }
    refusals.push(`${name}: ${answered.refused}`)
    send(response, 400, JSON.stringify({ error: 'invalid_request', message: answered.refused }))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    refusals,
    calls,
    behave(behaviour, at) {
      misbehaving = { behaviour, at: at ?? null }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body)
}

/** The first of what should be there and is not; null when all is. */
export function problemOf(
  expected: Readonly<Record<string, string>>,
  given: (name: string) => unknown,
): string | null {
  for (const [name, value] of Object.entries(expected)) {
    if (given(name) !== value) return `${name} is ${String(given(name))} and not ${value}`
  }
  return null
}
