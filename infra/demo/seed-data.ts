import { SESSION_SECONDS } from '@tollgate/command-api/identity/sessions.ts'
import { z } from 'zod'
import type { ConsoleSession } from './console-session.ts'
import { signIn, visitor } from './console-session.ts'
import { CHANNELS, MERCHANT, MODEL_RATIOS, OPTIONS, PASSWORD, PEOPLE } from './people.ts'

/** A person's account, with the numbers of its tokens by name. */
export interface DemoAccount {
  readonly id: number
  readonly group: string
  readonly tokens: ReadonlyMap<string, number>
}

/** The data that the demo needs to make a past, to send traffic and to act as an administrator. */
export interface SeededData {
  /** The administrator's; a new one after `renewRoot`. */
  root(): ConsoleSession
  /** Signs the administrator in anew where the session is about to end: months pass. */
  renewRoot(): Promise<void>
  /** API keys (`sk-…`) by `username/token`. */
  readonly keys: ReadonlyMap<string, string>
  /** A key of the administrator's, for whoever tries the demo. */
  readonly rootKey: string
  readonly accounts: ReadonlyMap<string, DemoAccount>
  /** In the order of CHANNELS. */
  readonly channelIds: readonly number[]
  /** Gives everybody another month's quota. */
  grantMonth(): Promise<void>
  /** Changes somebody's balance by US dollars, and says why. */
  correct(username: string, dollars: number, reason: string): Promise<void>
  /** Sets ratios of models, and says why; the others stay. */
  revisePrices(ratios: Readonly<Record<string, number>>, note: string): Promise<void>
  switchOn(channel: string): Promise<void>
  /** A session of somebody’s that is good at the time that history has come to. */
  sessionOf(username: string): Promise<ConsoleSession>
}

/** Quota of a US dollar, by the default of QuotaPerUnit. */
export const DOLLAR = 500_000
const ROOT_TOKEN = 'try-me'
/** A day less than a session lasts. */
const KEPT_MS = (SESSION_SECONDS - 86_400) * 1_000

/** Where a Tollgate and its provider are, and the time that its history has come to. */
export interface Seeding {
  readonly url: string
  readonly upstreamUrl: string
  readonly now: () => number
  readonly signal: AbortSignal
}

const userRow = z.object({
  id: z.number(),
  username: z.string(),
  display_name: z.string(),
  group: z.string(),
  quota: z.number(),
})
const channelRecovery = z.array(z.object({ id: z.number(), name: z.string() }))

/**
 * Sets a new Tollgate up through its own console API: administrator, options, channels, users and their tokens. Throws
 * once the signal has aborted.
 */
export async function seedData({ url, upstreamUrl, now, signal }: Seeding): Promise<SeededData> {
  await visitor(url, signal).ask('POST', '/api/setup', z.unknown(), {
    username: 'root',
    password: PASSWORD,
    confirmPassword: PASSWORD,
    SelfUseModeEnabled: false,
    DemoSiteEnabled: false,
  })
  const sessionOf = keptSessions(url, now, signal)
  let root = await sessionOf('root')
  for (const [key, value] of Object.entries(OPTIONS)) {
    await root.ask('PUT', '/api/option/', z.unknown(), { key, value })
  }
  const payment = {
    ServerAddress: url,
    PayAddress: MERCHANT.address,
    EpayId: MERCHANT.pid,
    EpayKey: MERCHANT.key,
  }
  for (const [key, value] of Object.entries(payment))
    await root.ask('PUT', '/api/option/', z.unknown(), { key, value })
  await root.ask('PUT', '/api/option/', z.unknown(), {
    key: 'ModelRatio',
    value: await modelRatios(root, MODEL_RATIOS),
  })
  for (const channel of CHANNELS) {
    await root.ask('POST', '/api/channel/', z.unknown(), {
      ...channel,
      base_url: upstreamUrl,
      group: 'default,vip,svip',
      auto_ban: 1,
    })
  }
  const listed = await root.ask('GET', '/api/channel/?p=0&page_size=50', channelRecovery)
  const channelId = (name: string): number => listed.find((row) => row.name === name)?.id ?? 0
  const sessions = new Map<string, ConsoleSession>()
  for (const { username } of PEOPLE) {
    await root.ask('POST', '/api/user/', z.unknown(), { username, password: PASSWORD })
    sessions.set(username, await sessionOf(username))
  }
  const changeBalance = async (
    username: string,
    dollars: number,
    reason: string,
  ): Promise<void> => {
    const id = sessions.get(username)?.userId ?? 0
    const user = await root.ask('GET', `/api/user/${id}`, userRow)
    await root.ask('PUT', '/api/user/', z.unknown(), {
      id,
      username,
      display_name: user.display_name,
      group: PEOPLE.find((person) => person.username === username)?.group ?? user.group,
      quota: user.quota + dollars * DOLLAR,
      quota_before: user.quota,
      reason,
    })
  }
  const grantMonth = async (): Promise<void> => {
    for (const { username, monthlyDollars } of PEOPLE)
      await changeBalance(username, monthlyDollars, 'monthly allowance')
  }
  await grantMonth()
  const rootKey = (await issue(root, [ROOT_TOKEN])).get(ROOT_TOKEN)?.key ?? ''
  return {
    root: () => root,
    async renewRoot() {
      root = await sessionOf('root')
    },
    ...(await issueTokens(sessions)),
    rootKey,
    channelIds: CHANNELS.map(({ name }) => channelId(name)),
    grantMonth,
    correct: changeBalance,
    async revisePrices(ratios, note) {
      const options = { ModelRatio: await modelRatios(root, ratios) }
      await root.ask('POST', '/api/ledger/prices', z.unknown(), { options, note })
    },
    sessionOf,
    async switchOn(channel) {
      await root.ask('PUT', '/api/channel/', z.unknown(), { id: channelId(channel), status: 1 })
    },
  }
}

/** Sessions by username. An address may sign in so often only, so each is kept as long as it is good. */
function keptSessions(
  url: string,
  now: () => number,
  signal: AbortSignal,
): (username: string) => Promise<ConsoleSession> {
  const kept = new Map<string, { readonly session: ConsoleSession; readonly since: number }>()
  return async (username) => {
    const known = kept.get(username)
    if (known !== undefined && now() - known.since < KEPT_MS) return known.session
    const session = await signIn(url, username, PASSWORD, signal)
    kept.set(username, { session, since: now() })
    return session
  }
}

/** The text of the option ModelRatio with some models changed. */
async function modelRatios(
  root: ConsoleSession,
  changed: Readonly<Record<string, number>>,
): Promise<string> {
  const options = z.array(z.object({ key: z.string(), value: z.string() }))
  const all = await root.ask('GET', '/api/option/', options)
  const ratios = all.find(({ key }) => key === 'ModelRatio')?.value ?? '{}'
  const known = z.record(z.string(), z.number()).parse(JSON.parse(ratios))
  return JSON.stringify({ ...known, ...changed })
}

async function issueTokens(
  sessions: ReadonlyMap<string, ConsoleSession>,
): Promise<Pick<SeededData, 'keys' | 'accounts'>> {
  const keys = new Map<string, string>()
  const accounts = new Map<string, DemoAccount>()
  for (const { username, group, habits } of PEOPLE) {
    const session = sessions.get(username)
    if (session === undefined) continue
    const issued = await issue(
      session,
      habits.map(({ token }) => token),
    )
    for (const [name, { key }] of issued) keys.set(`${username}/${name}`, key)
    const tokens = new Map([...issued].map(([name, { id }]) => [name, id]))
    accounts.set(username, { id: session.userId, group, tokens })
  }
  return { keys, accounts }
}

/** Makes tokens without limits and answers their numbers and keys (`sk-…`) by name. */
async function issue(
  session: ConsoleSession,
  names: readonly string[],
): Promise<ReadonlyMap<string, { readonly id: number; readonly key: string }>> {
  for (const name of names) {
    await session.ask('POST', '/api/token/', z.unknown(), {
      name,
      unlimited_quota: true,
      expired_time: -1,
    })
  }
  const rows = z.array(z.object({ id: z.number(), name: z.string(), key: z.string() }))
  const all = await session.ask('GET', '/api/token/?p=0&size=100', rows)
  return new Map(all.map(({ id, name, key }) => [name, { id, key: `sk-${key}` }]))
}
