import { ProbeFailed } from '@tollgate/domain/ports/channel-probe.ts'
import { BigNumber } from 'bignumber.js'
import type { ChannelFacts } from '../directory/facts.ts'
import { isObject } from '../json.ts'
import type { Address } from '../upstream/address.ts'
import type { ProbeDeps } from './probe-deps.ts'
import { getJson } from './get-json.ts'

const CENTS = 100
const DAY_MS = 24 * 60 * 60 * 1_000
/** How far back usage counts for an account without a payment method. */
const FREE_DAYS = 100

/** Balance in US dollars as a decimal text (channels.md 4); ProbeFailed `尚未实现` where the type has none. */
export async function readBalanceOf(channel: ChannelFacts, deps: ProbeDeps): Promise<string> {
  const source = channel.type.balance
  switch (source) {
    case 'openai-billing':
      return openAiBalance(channel, deps)
    case 'aiproxy': {
      const at = 'https://aiproxy.io/api/report/getUserOverview'
      const answer = await getJson(channel, parse(at), deps, { 'api-key': channel.key })
      return dollars(answer, ['data', 'totalPoints'])
    }
    case 'api2gpt': {
      const at = parse('https://api.api2gpt.com/dashboard/billing/credit_grants')
      return dollars(await getJson(channel, at, deps), ['total_remaining'])
    }
    case 'aigc2d': {
      const at = parse('https://api.aigc2d.com/dashboard/billing/credit_grants')
      return dollars(await getJson(channel, at, deps), ['total_available'])
    }
    case 'siliconflow': {
      const answer = await getJson(channel, parse(`${channel.baseUrl}/v1/user/info`), deps)
      return fromYuan(dollars(answer, ['data', 'totalBalance']), deps)
    }
    case 'deepseek':
      return deepSeekBalance(channel, deps)
    case null:
      throw new ProbeFailed('尚未实现')
    default:
      return source satisfies never
  }
}

async function openAiBalance(channel: ChannelFacts, deps: ProbeDeps): Promise<string> {
  const billing = `${channel.baseUrl.replace(/\/v1\/.*$/, '')}/v1/dashboard/billing`
  const subscription = await getJson(channel, parse(`${billing}/subscription`), deps)
  const pays = isObject(subscription) && subscription['has_payment_method'] === true
  const now = deps.clock.now()
  const today = day(now)
  const since = pays ? `${today.slice(0, 7)}-01` : day(now - FREE_DAYS * DAY_MS)
  const period = `start_date=${since}&end_date=${today}`
  const usage = await getJson(channel, parse(`${billing}/usage?${period}`), deps)
  const limit = new BigNumber(dollars(subscription, ['hard_limit_usd']))
  return limit.minus(new BigNumber(dollars(usage, ['total_usage'])).dividedBy(CENTS)).toFixed()
}

async function deepSeekBalance(channel: ChannelFacts, deps: ProbeDeps): Promise<string> {
  const answer = await getJson(channel, parse(`${channel.baseUrl}/user/balance`), deps)
  const infos = isObject(answer) ? answer['balance_infos'] : null
  const list = Array.isArray(infos) ? infos.filter(isObject) : []
  const inDollars = list.find((info) => info['currency'] === 'USD')
  if (inDollars !== undefined) return dollars(inDollars, ['total_balance'])
  const inYuan = list.find((info) => info['currency'] === 'CNY')
  return fromYuan(dollars(inYuan, ['total_balance']), deps)
}

const fromYuan = (yuan: string, deps: ProbeDeps): string =>
  new BigNumber(yuan).dividedBy(deps.yuanPerDollar()).decimalPlaces(6).toFixed()

/** A number at a path of the answer, as a plain decimal text. */
function dollars(answer: unknown, path: readonly string[]): string {
  let value = answer
  for (const key of path) value = isObject(value) ? value[key] : undefined
  const amount = new BigNumber(
    typeof value === 'number' || typeof value === 'string' ? value : Number.NaN,
  )
  if (!amount.isFinite()) throw new ProbeFailed(`解析响应失败: no ${path.join('.')} in the answer`)
  return amount.toFixed()
}

const day = (moment: number): string => new Date(moment).toISOString().slice(0, 10)

function parse(address: string): Address {
  const url = new URL(address)
  return { origin: url.origin, path: url.pathname + url.search }
}
