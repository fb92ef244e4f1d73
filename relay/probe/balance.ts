import { ProbeFailed } from '@tollgate/domain/ports/channel-probe.ts'
import { BigNumber } from 'bignumber.js'
import type { ChannelFacts } from '../directory/facts.ts'
import { isObject, type JsonObject } from '../json.ts'
import type { Address } from '../upstream/address.ts'
import { shownText } from '../upstream/mask.ts'
import { getJson } from './get-json.ts'
import type { ProbeDeps } from './probe-deps.ts'

const CENTS = 100
const DAY_MS = 24 * 60 * 60 * 1_000
/** How far back usage counts for an account without a payment method. */
const FREE_DAYS = 100
/** SiliconFlow's code in its body when all is well. */
const SILICONFLOW_FINE = 20_000
/** No account has more dollars at a provider; a larger figure is garbage, and its text could be endless. */
const DOLLARS_MAX = 1e15
const DECIMALS_MAX = 6
const AMOUNT = /^[+-]?\d{1,20}(\.\d{0,20})?$/

/**
 * Balance in US dollars as a decimal text (channels.md 4); throws ProbeFailed: `尚未实现` where the type has none, else
 * with the member that upstream's answer lacks.
 */
export async function readBalanceOf(
  channel: ChannelFacts,
  deps: ProbeDeps,
  signal?: AbortSignal,
): Promise<string> {
  const source = channel.type.balance
  const ask = (address: string, headers?: Readonly<Record<string, string>>): Promise<JsonObject> =>
    askFor(channel, parse(address), deps, { headers, signal })
  switch (source) {
    case 'openai-billing':
      return openAiBalance(channel, deps, ask)
    case 'aiproxy':
      return aiProxyBalance(channel, ask)
    case 'api2gpt': {
      const grants = await ask('https://api.api2gpt.com/dashboard/billing/credit_grants')
      return inDollars(amountIn(grants, 'total_remaining'))
    }
    case 'aigc2d': {
      const grants = await ask('https://api.aigc2d.com/dashboard/billing/credit_grants')
      return inDollars(amountIn(grants, 'total_available'))
    }
    case 'siliconflow': {
      const answer = await ask(`${channel.baseUrl}/v1/user/info`)
      if (answer['code'] !== SILICONFLOW_FINE) throw refusalIn(answer, ['code', 'message'], channel)
      return fromYuan(amountIn(objectIn(answer, 'data'), 'totalBalance'), deps)
    }
    case 'deepseek':
      return deepSeekBalance(await ask(`${channel.baseUrl}/user/balance`), deps)
    case null:
      throw new ProbeFailed('尚未实现')
    default:
      return source satisfies never
  }
}

type Ask = (address: string, headers?: Readonly<Record<string, string>>) => Promise<JsonObject>

async function askFor(
  channel: ChannelFacts,
  address: Address,
  deps: ProbeDeps,
  {
    headers,
    signal,
  }: {
    readonly headers: Readonly<Record<string, string>> | undefined
    readonly signal: AbortSignal | undefined
  },
): Promise<JsonObject> {
  const how = headers === undefined ? { signal } : { headers, signal }
  const answer = await getJson(channel, address, deps, how)
  if (!isObject(answer))
    throw new ProbeFailed('解析响应失败: 上游返回的不是 JSON 对象，请检查渠道 API 地址')
  return answer
}

async function openAiBalance(channel: ChannelFacts, deps: ProbeDeps, ask: Ask): Promise<string> {
  const billing = `${channel.baseUrl.split('/v1/', 1)[0]}/v1/dashboard/billing`
  const subscription = await ask(`${billing}/subscription`)
  const pays = subscription['has_payment_method'] === true
  const now = deps.clock.now()
  const today = day(now)
  const since = pays ? `${today.slice(0, 7)}-01` : day(now - FREE_DAYS * DAY_MS)
  const usage = await ask(`${billing}/usage?start_date=${since}&end_date=${today}`)
  const limit = amountIn(subscription, 'hard_limit_usd')
  return inDollars(limit.minus(amountIn(usage, 'total_usage').dividedBy(CENTS)))
}

async function aiProxyBalance(channel: ChannelFacts, ask: Ask): Promise<string> {
  const headers = { 'api-key': channel.key }
  const answer = await ask('https://aiproxy.io/api/report/getUserOverview', headers)
  if (answer['success'] !== true) throw refusalIn(answer, ['error_code', 'message'], channel)
  return inDollars(amountIn(objectIn(answer, 'data'), 'totalPoints'))
}

/** An account has an entry for each currency it was paid in; accounts outside of China have dollars alone. */
function deepSeekBalance(answer: JsonObject, deps: ProbeDeps): string {
  const infos = answer['balance_infos']
  const entries = Array.isArray(infos) ? infos.filter(isObject) : []
  const inCurrency = (currency: string): JsonObject | undefined =>
    entries.find((entry) => entry['currency'] === currency)
  const yuan = inCurrency('CNY')
  if (yuan !== undefined) return fromYuan(amountIn(yuan, 'total_balance'), deps)
  const dollars = inCurrency('USD')
  if (dollars === undefined) throw new ProbeFailed('currency CNY not found')
  return inDollars(amountIn(dollars, 'total_balance'))
}

const fromYuan = (yuan: BigNumber, deps: ProbeDeps): string =>
  inDollars(yuan.dividedBy(deps.yuanPerDollar()))

const inDollars = (amount: BigNumber): string => amount.decimalPlaces(DECIMALS_MAX).toFixed()

function amountIn(answer: JsonObject, name: string): BigNumber {
  const amount = amountOf(answer[name])
  if (amount === null || amount.abs().isGreaterThan(DOLLARS_MAX)) {
    throw new ProbeFailed(`解析响应失败: 上游的响应中没有金额 ${name}，请检查渠道类型和 API 地址`)
  }
  return amount
}

function amountOf(value: unknown): BigNumber | null {
  if (typeof value === 'number') return Number.isFinite(value) ? new BigNumber(value) : null
  return typeof value === 'string' && AMOUNT.test(value) ? new BigNumber(value) : null
}

const objectIn = (answer: JsonObject, name: string): JsonObject => {
  const value = answer[name]
  return isObject(value) ? value : {}
}

/** A body of status 200 that says no, with the words it gives for it. */
function refusalIn(
  answer: JsonObject,
  names: readonly string[],
  { key }: ChannelFacts,
): ProbeFailed {
  const said = names.map((name) => answer[name]).filter((value) => isWord(value))
  const text = ['上游拒绝了余额查询', ...said].join(': ')
  return new ProbeFailed(shownText(text, key, REFUSAL_LENGTH_MAX))
}

const REFUSAL_LENGTH_MAX = 300
const isWord = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value !== '')

const day = (moment: number): string => new Date(moment).toISOString().slice(0, 10)

function parse(address: string): Address {
  const url = new URL(address)
  return { origin: url.origin, path: url.pathname + url.search }
}
