import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import {
  type StandInUpstream,
  startStandInUpstream,
} from '@tollgate/infra/demo/stand-in-upstream.ts'
import { z } from 'zod'
import { startSmtpServer, type TestSmtpServer } from '../support/providers/smtp-server.ts'
import { collectedLog } from '../support/collected-log.ts'
import { keepTask } from '../support/histories/kept-task.ts'
import { until } from '../support/processes.ts'
import { startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'
import { withCodeIfFailed } from './coded-failures.ts'
import { addPerson, type Person, signIn } from './people.ts'

/** A Tollgate with people, channels, a token, a charge, a drawing and a song, so that no list is empty. */
export interface SeededProduct {
  readonly whole: WholeTollgate
  readonly upstream: StandInUpstream
  /** Where its mails go. */
  readonly smtp: TestSmtpServer
  readonly log: ReturnType<typeof collectedLog>
  readonly root: Person
  readonly admin: Person
  readonly ann: Person
  readonly bob: Person
  /** The token of ann. */
  readonly token: { readonly id: number; readonly key: string }
  readonly channelId: number
  stop(): Promise<void>
}

export const CHANNEL_KEY = 'sk-channel-key-never-in-a-log'
export const MODEL = 'gpt-4o-mini'
/** At the payment gateway. */
export const MERCHANT = { pid: '1000', key: 'epay-key-never-in-a-log' } as const

export async function seedAccounts(): Promise<SeededProduct> {
  const log = collectedLog()
  const upstream = await startStandInUpstream({ models: [MODEL] })
  const smtp = await startSmtpServer()
  const whole = await startWholeTollgate({ runtime: { logger: log.logger } })
  const { root: client } = whole
  await client.setOption('SMTPServer', '127.0.0.1')
  await client.setOption('SMTPPort', String(smtp.port))
  await client.setOption('SMTPFrom', 'gate@example.com')
  const channelId = await client.addChannel({
    name: 'steady',
    key: CHANNEL_KEY,
    base_url: upstream.url,
    models: MODEL,
    tag: 'main',
  })
  await client.setOptions({
    ServerAddress: 'https://gate.example.com',
    PayAddress: 'https://pay.example.com',
    EpayId: MERCHANT.pid,
    EpayKey: MERCHANT.key,
  })
  const root = await signIn(whole, 'root')
  const admin = await addPerson(whole, 'admin', 10)
  const ann = await addPerson(whole, 'ann')
  const bob = await addPerson(whole, 'bob')
  const enough = { id: ann.id, username: 'ann', display_name: 'Ann', quota: 5_000_000 }
  await client.ask('PUT', '/api/user/', z.unknown(), { ...enough, group: 'default' })
  const token = await tokenOf(whole, ann)
  const seeded = { whole, upstream, smtp, log, root, admin, ann, bob, token, channelId }
  await chat(seeded)
  await keepTask(whole.tollgate.engines, 'mj', ann.id)
  await keepTask(whole.tollgate.engines, 'suno', ann.id)
  await until('the charge is logged', async () => {
    const page = z.object({ data: z.object({ total: z.number() }) })
    return page.parse(await call(seeded, ann, 'GET', '/api/log/self?type=2')).data.total === 1
  })
  return {
    ...seeded,
    async stop() {
      await whole.stop()
      await upstream.stop()
      await smtp.close()
    },
  }
}

export async function tokenOf(
  whole: WholeTollgate,
  person: Person,
): Promise<SeededProduct['token']> {
  const made = await call({ whole }, person, 'POST', '/api/token', {
    name: 'first',
    unlimited_quota: true,
    expired_time: -1,
  })
  if (made.success !== true) throw new Error(`no token was made: ${made.message}`)
  const listed = z.object({ data: z.array(z.object({ id: z.number(), key: z.string() })) })
  const [token] = listed.parse(await call({ whole }, person, 'GET', '/api/token')).data
  if (token === undefined) throw new Error('the token is not in the list')
  return token
}

/** A small chat with ann's token, whatever comes of it. */
export const chat = ({ whole, token }: Pick<SeededProduct, 'whole' | 'token'>): Promise<Response> =>
  fetch(`${whole.tollgate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${token.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'hello' }] }),
  })

const describedDocument = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.looseObject({ responses: z.looseObject({}) })),
  ),
})

/** Fails when the OpenAPI document does not name the HTTP status that a route of it answered. */
async function expectDescribed(
  whole: WholeTollgate,
  method: string,
  path: string,
  status: number,
): Promise<void> {
  const { paths } = await documentOf(whole)
  const asked = path.replace(/\?.*$/s, '').replace(/(?<=.)\/$/, '')
  const operation = Object.entries(paths)
    // A path without parameters goes before one with them.
    .toSorted(([one], [other]) => one.split('{').length - other.split('{').length)
    .find(([template]) =>
      new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(asked),
    )?.[1][method.toLowerCase()]
  // Calls of the relay fail in their protocol's shape whatever the status.
  const isOfRelay = !path.startsWith('/api/')
  if (operation === undefined || isOfRelay || String(status) in operation.responses) return
  throw new Error(`the OpenAPI document has no ${status} of ${method} ${path}`)
}

const documents = new WeakMap<WholeTollgate, Promise<z.infer<typeof describedDocument>>>()

function documentOf(whole: WholeTollgate): Promise<z.infer<typeof describedDocument>> {
  const known = documents.get(whole)
  if (known !== undefined) return known
  const loaded = fetch(`${whole.tollgate.url}/api/openapi.json`)
    .then((answer) => answer.json())
    .then((document) => describedDocument.parse(document))
  documents.set(whole, loaded)
  return loaded
}

/** The answer of a call; `success` and `message` are missing where a route answers without envelope. */
export interface Answered {
  readonly status: number
  readonly success?: boolean | undefined
  readonly message?: string | undefined
  readonly data?: unknown
  readonly [key: string]: unknown
}

/** Sends a console request as somebody, or as nobody, and reads its JSON. */
export async function call(
  { whole }: Pick<SeededProduct, 'whole'>,
  person: Pick<Person, 'headers'> | null,
  method: ApiRoute['method'],
  path: string,
  body?: unknown,
): Promise<Answered> {
  const answer = await fetch(`${whole.tollgate.url}${path}`, {
    method,
    headers: { ...person?.headers },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  await expectDescribed(whole, method, path, answer.status)
  const text = await answer.text()
  const read = z.looseObject({ success: z.boolean().optional(), message: z.string().optional() })
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
  return isJson
    ? { ...withCodeIfFailed(read.parse(JSON.parse(text))), status: answer.status }
    : { status: answer.status, text }
}
