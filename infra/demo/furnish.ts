import { z } from 'zod'
import type { ConsoleSession } from './console-session.ts'
import { signIn, visitor } from './console-session.ts'
import { CHANNELS, MODEL_RATIOS, OPTIONS, PASSWORD, PEOPLE } from './people.ts'

/** What the demo needs to send traffic and to keep accounts filled. */
export interface Furnished {
  readonly root: ConsoleSession
  /** API keys (`sk-…`) by `username/token`. */
  readonly keys: ReadonlyMap<string, string>
  /** A key of the administrator's, for whoever tries the demo. */
  readonly rootKey: string
  /** Gives everybody another week's quota. */
  grantWeek(): Promise<void>
}

const DOLLAR = 500_000
const ROOT_TOKEN = 'try-me'

const userRow = z.object({
  id: z.number(),
  username: z.string(),
  display_name: z.string(),
  group: z.string(),
  quota: z.number(),
})

/** Sets a new Tollgate up through its own console API: administrator, options, channels, users and their tokens. */
export async function furnish(url: string, upstreamUrl: string): Promise<Furnished> {
  await visitor(url).ask('POST', '/api/setup', z.unknown(), {
    username: 'root',
    password: PASSWORD,
    confirmPassword: PASSWORD,
    SelfUseModeEnabled: false,
    DemoSiteEnabled: false,
  })
  const root = await signIn(url, 'root', PASSWORD)
  for (const [key, value] of Object.entries(OPTIONS)) {
    await root.ask('PUT', '/api/option/', z.unknown(), { key, value })
  }
  await addModelRatios(root)
  for (const channel of CHANNELS) {
    await root.ask('POST', '/api/channel/', z.unknown(), {
      ...channel,
      base_url: upstreamUrl,
      group: 'default,vip,svip',
      auto_ban: 1,
    })
  }
  const sessions = new Map<string, ConsoleSession>()
  for (const { username } of PEOPLE) {
    await root.ask('POST', '/api/user/', z.unknown(), { username, password: PASSWORD })
    sessions.set(username, await signIn(url, username, PASSWORD))
  }
  const grantWeek = () => grantEverybody(root, sessions)
  await grantWeek()
  const rootKey = (await issue(root, [ROOT_TOKEN])).get(ROOT_TOKEN) ?? ''
  return { root, keys: await issueTokens(sessions), rootKey, grantWeek }
}

async function addModelRatios(root: ConsoleSession): Promise<void> {
  const options = z.array(z.object({ key: z.string(), value: z.string() }))
  const all = await root.ask('GET', '/api/option/', options)
  const ratios = all.find(({ key }) => key === 'ModelRatio')?.value ?? '{}'
  const known = z.record(z.string(), z.number()).parse(JSON.parse(ratios))
  await root.ask('PUT', '/api/option/', z.unknown(), {
    key: 'ModelRatio',
    value: JSON.stringify({ ...known, ...MODEL_RATIOS }),
  })
}

async function grantEverybody(
  root: ConsoleSession,
  sessions: ReadonlyMap<string, ConsoleSession>,
): Promise<void> {
  for (const { username, group, weeklyDollars } of PEOPLE) {
    const user = await sessions.get(username)?.ask('GET', '/api/user/self', userRow)
    if (user === undefined) continue
    await root.ask('PUT', '/api/user/', z.unknown(), {
      id: user.id,
      username,
      display_name: user.display_name,
      group,
      quota: user.quota + weeklyDollars * DOLLAR,
      quota_before: user.quota,
    })
  }
}

async function issueTokens(
  sessions: ReadonlyMap<string, ConsoleSession>,
): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>()
  for (const { username, habits } of PEOPLE) {
    const session = sessions.get(username)
    if (session === undefined) continue
    const names = habits.map(({ token }) => token)
    for (const [name, key] of await issue(session, names)) keys.set(`${username}/${name}`, key)
  }
  return keys
}

/** Makes tokens without limits and answers their keys (`sk-…`) by name. */
async function issue(
  session: ConsoleSession,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  for (const name of names) {
    await session.ask('POST', '/api/token/', z.unknown(), {
      name,
      unlimited_quota: true,
      expired_time: -1,
    })
  }
  const rows = z.array(z.object({ name: z.string(), key: z.string() }))
  const all = await session.ask('GET', '/api/token/?p=0&size=100', rows)
  return new Map(all.map(({ name, key }) => [name, `sk-${key}`]))
}
