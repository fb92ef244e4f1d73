import { z } from 'zod'
import { until } from './processes.ts'

/** The console API as an operator's script uses it: JSON, session cookie, New-Api-User header, envelope. */
export class ConsoleClient {
  readonly #url: string
  #cookie = ''
  #userId = -1

  constructor(url: string) {
    this.#url = url
  }

  get userId(): number {
    return this.#userId
  }

  /** Sends a request and returns the envelope, whatever it says. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Envelope> {
    return envelopeOf(await this.fetch(method, path, body, headers))
  }

  /** Sends a request and returns the bare answer, for routes without envelope. */
  async fetch(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const answer = await fetch(this.#url + path, {
      method,
      headers: {
        ...headers,
        'new-api-user': String(this.#userId),
        ...(this.#cookie ? { cookie: this.#cookie } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const cookie = answer.headers.getSetCookie().find((text) => text.startsWith('session='))
    if (cookie) this.#cookie = cookie.split(';', 1)[0] ?? ''
    return answer
  }

  /** Chats in the playground, as the console does; the answer comes as it is, streamed or whole. */
  play(body: object): Promise<Response> {
    return fetch(`${this.#url}/pg/chat/completions`, {
      method: 'POST',
      headers: {
        'new-api-user': String(this.#userId),
        cookie: this.#cookie,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
  }

  /** Sends a request that has to succeed and returns its data; throws with the message otherwise. */
  async ask<Data>(
    method: string,
    path: string,
    data: z.ZodType<Data>,
    body?: unknown,
  ): Promise<Data> {
    const answer = await this.send(method, path, body)
    if (!answer.success) {
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.message}`)
    }
    return data.parse(answer.data)
  }

  /** Sets the product up. A server on a busy machine may say that it does not know yet (503): it is asked again. */
  async setUp(username: string, password: string): Promise<void> {
    const body = {
      username,
      password,
      confirmPassword: password,
      SelfUseModeEnabled: false,
      DemoSiteEnabled: false,
    }
    await until(
      'the product is set up',
      async () => {
        const answer = await this.send('POST', '/api/setup', body)
        if (answer.success) return true
        if (answer.status !== 503) {
          throw new Error(`POST /api/setup answered ${answer.status}: ${answer.message}`)
        }
        return (await this.ask('GET', '/api/setup', z.object({ status: z.boolean() }))).status
      },
      60_000,
    )
  }

  async logIn(username: string, password: string): Promise<void> {
    const user = await this.ask('POST', '/api/user/login', z.object({ id: z.number() }), {
      username,
      password,
    })
    this.#userId = user.id
  }

  self(): Promise<SelfUser> {
    return this.ask('GET', '/api/user/self', selfUser)
  }

  /** Adds a channel of type OpenAI and returns its id. */
  async addChannel(channel: NewChannel): Promise<number> {
    const { id } = await this.ask('POST', '/api/channel/', z.object({ id: z.number() }), {
      type: 1,
      group: 'default',
      priority: 0,
      weight: 0,
      auto_ban: 1,
      ...channel,
    })
    return id
  }

  reviseChannel(id: number, change: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.ask('PUT', '/api/channel/', z.unknown(), { id, ...change })
  }

  /** Creates a token and returns it as the list shows it; unlimited unless said otherwise. */
  async createToken(token: NewToken): Promise<ListedToken> {
    const { id } = await this.ask('POST', '/api/token/', z.object({ id: z.number() }), {
      expired_time: -1,
      remain_quota: 0,
      unlimited_quota: true,
      model_limits_enabled: false,
      model_limits: '',
      allow_ips: '',
      group: '',
      ...token,
    })
    const created = (await this.tokens()).find((listed) => listed.id === id)
    if (created === undefined) throw new Error(`token ${token.name} is not in the list`)
    return created
  }

  tokens(): Promise<ListedToken[]> {
    return this.ask('GET', '/api/token/?p=0&size=100', z.array(listedToken))
  }

  setOption(key: string, value: string): Promise<unknown> {
    return this.ask('PUT', '/api/option/', z.unknown(), { key, value })
  }

  /** Sets options one after the other, in the order given. */
  async setOptions(options: Readonly<Record<string, string>>): Promise<void> {
    for (const [key, value] of Object.entries(options)) await this.setOption(key, value)
  }

  /** Adds an ordinary user, sets its quota by an adjustment, and returns a client signed in as it. */
  async addUser(username: string, password: string, quota: number): Promise<ConsoleClient> {
    await this.ask('POST', '/api/user/', z.unknown(), { username, password })
    const user = new ConsoleClient(this.#url)
    await user.logIn(username, password)
    const before = await user.self()
    await this.ask('PUT', '/api/user/', z.unknown(), {
      id: user.userId,
      username,
      display_name: before.display_name,
      group: before.group,
      quota,
    })
    return user
  }

  /** The newest hundred, newest first. */
  async logs(query: Readonly<Record<string, string>> = {}): Promise<LogRow[]> {
    return (await this.#logPage(query)).items
  }

  /**
   * Does something and returns its result with the charges that it made, newest first, as soon as the log shows as
   * many as are expected: charges of the relay reach the log a moment after the answer.
   */
  async chargesOf<Result>(
    expected: number,
    work: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly rows: readonly LogRow[] }> {
    const before = new Set((await this.logs(CHARGES)).map(({ event_id }) => event_id))
    const result = await work()
    let rows: LogRow[] = []
    await until(`the log shows ${expected} new charges`, async () => {
      rows = (await this.logs(CHARGES)).filter(({ event_id }) => !before.has(event_id))
      return rows.length >= expected
    })
    return { result, rows }
  }

  /** How many charges the log shows. */
  async chargesLogged(): Promise<number> {
    return (await this.#logPage(CHARGES)).total
  }

  #logPage(query: Readonly<Record<string, string>>): Promise<LogPage> {
    const parameters = new URLSearchParams({ p: '1', page_size: '100', ...query })
    return this.ask('GET', `/api/log/self?${parameters.toString()}`, logPage)
  }
}

const envelopeOf = async (answer: Response): Promise<Envelope> => ({
  status: answer.status,
  ...envelope.parse(await answer.json()),
})

const CHARGES = { type: '2' } as const

export interface Envelope {
  readonly status: number
  readonly success: boolean
  readonly message: string
  readonly data?: unknown
}

export interface NewChannel {
  readonly name: string
  readonly key: string
  readonly base_url: string
  /** Comma-separated. */
  readonly models: string
  readonly [field: string]: unknown
}

export interface NewToken {
  readonly name: string
  readonly [field: string]: unknown
}

export type ListedToken = z.infer<typeof listedToken>
export type LogRow = z.infer<typeof logRow>
export type SelfUser = z.infer<typeof selfUser>

const envelope = z.looseObject({
  success: z.boolean(),
  message: z.string().default(''),
  data: z.unknown().optional(),
})

const listedToken = z.object({
  id: z.number(),
  name: z.string(),
  key: z.string(),
  status: z.number(),
  remain_quota: z.number(),
  used_quota: z.number(),
  unlimited_quota: z.boolean(),
})

const selfUser = z.object({
  id: z.number(),
  username: z.string(),
  display_name: z.string(),
  group: z.string(),
  quota: z.number(),
  used_quota: z.number(),
  request_count: z.number(),
})

const logRow = z.object({
  event_id: z.string(),
  id: z.number(),
  created_at: z.number(),
  type: z.number(),
  content: z.string(),
  token_name: z.string(),
  model_name: z.string(),
  quota: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  is_stream: z.boolean(),
  other: z.string(),
})

const logPage = z.object({ items: z.array(logRow), total: z.number() })
type LogPage = z.infer<typeof logPage>
