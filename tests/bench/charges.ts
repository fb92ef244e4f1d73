import { bareAttempt, UNTOLD } from '@tollgate/domain/account/request-facts.ts'
import { randomUUID } from 'node:crypto'
import type { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { HoldService } from '@tollgate/command-api/holds/hold-service.ts'
import { LocalRelays } from '@tollgate/command-api/holds/local-relays.ts'
import { ownsEverything } from '@tollgate/command-api/accounts/ownership.ts'
import type { ChargedUsage } from '@tollgate/domain/account/events.ts'
import {
  channelId,
  type HoldId,
  partsOfHold,
  relayId,
  requestId,
  type UserId,
  userId,
} from '@tollgate/domain/ids.ts'
import type { UsageReport } from '@tollgate/domain/ports/usage-journal.ts'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { systemClock as clock } from '@tollgate/infra/processes/runtime.ts'

const RELAY = relayId('bench')
const OPENING = quota(1_000_000_000)
const HELD = quota(400_000_000)
/** Charges of one account that wait at once: what a busy relay has under way. */
const IN_FLIGHT_PER_ACCOUNT = 40

/** The owner of all accounts, with nothing between it and its relays. */
export const holdServiceOf = (ledger: AccountLedger): HoldService =>
  new HoldService({
    ledger,
    clock,
    relays: new LocalRelays(clock),
    ownership: ownsEverything(clock),
  })

/** Opens accounts 1 to `count`, each with a hold that the bench does not empty; the holds. */
export const openAccounts = (
  ledger: AccountLedger,
  holdService: HoldService,
  count: number,
): Promise<HoldId[]> =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      openAccount(ledger, holdService, userId(index + 1)),
    ),
  )

async function openAccount(
  ledger: AccountLedger,
  holdService: HoldService,
  account: UserId,
): Promise<HoldId> {
  const cause = { actor: 'system', correlationId: 'bench', causationId: null } as const
  const grant = { type: 'CreditQuota', amount: OPENING, source: 'grant', reason: 'bench' } as const
  await ledger.execute(account, { type: 'OpenAccount' }, cause)
  await ledger.execute(account, grant, cause)
  const ask = { account, token: null, relay: RELAY, nonce: randomUUID(), need: HELD, want: HELD }
  const answer = await holdService.placeHold(ask)
  if (answer.status !== 'held') throw new Error(`no hold for account ${account}: ${answer.status}`)
  return answer.hold
}

/** Charges a hold as fast as the ledger acknowledges, from a number on. */
export async function chargeInParallel(
  holdService: HoldService,
  hold: HoldId,
  from: number,
  count: number,
): Promise<void> {
  let next = from
  const worker = async (): Promise<void> => {
    while (next < from + count) await holdService.publish(chargeOf(hold, next++))
  }
  await Promise.all(Array.from({ length: IN_FLIGHT_PER_ACCOUNT }, worker))
}

/** A charge by its number in the hold; the same number is the same charge. */
export const chargeOf = (hold: HoldId, sequence: number): UsageReport => ({
  type: 'usage',
  account: partsOfHold(hold).account,
  relay: RELAY,
  hold,
  sequence,
  token: null,
  amount: quota(37),
  request: chargedRequest(sequence),
  final: false,
  endedAt: Date.now(),
})

/** The charged request of a small chat, with all that OpenAI tells of one; about 1,700 bytes as stored. */
export const chargedRequest = (number: number): ChargedUsage => ({
  id: requestId(`202601051200000000000000${number}`),
  channel: channelId((number % 5) + 1),
  model: 'gpt-4o-mini',
  upstreamModel: 'gpt-4o-mini',
  group: 'default',
  endpoint: '/v1/chat/completions',
  ...usageOf(120, 93),
  price: {
    by: 'tokens',
    bookRevision: -1,
    groupRatio: '1',
    quotaPerUnit: '500000',
    modelRatio: '0.075',
    completionRatio: '4',
    cacheRatio: '0.5',
    cacheWriteRatio: '1.25',
    audioRatio: '20',
    audioCompletionRatio: '2',
    webSearchPrice: null,
    fileSearchPrice: null,
  },
  stream: true,
  startedAt: Date.now(),
  firstByteMs: 312,
  durationMs: 1_840,
  admittedAt: 0,
  attempts: [
    {
      ...bareAttempt(channelId((number % 5) + 1)),
      startedAt: Date.now(),
      ms: 1_838,
      status: 200,
    },
  ],
  estimated: false,
  cancelled: false,
  cutShort: false,
  reasoningEffort: null,
})

/** The counted usage of a chat, and the facts that OpenAI tells of it. */
export const usageOf = (
  prompt: number,
  completion: number,
): Pick<ChargedUsage, 'usage' | 'upstream'> => ({
  usage: { ...NO_USAGE, textIn: prompt, textOut: completion },
  upstream: {
    ...UNTOLD,
    requestId: 'req_5c0f2a9be3d1476f8a64d0b7c2e91f35',
    responseId: 'chatcmpl-CgT3nQvX8sLk1yWmZ0aBdEfHjRuPo',
    model: 'gpt-4o-mini-2024-07-18',
    serviceTier: 'default',
    usage: JSON.stringify({
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 0,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    }),
  },
})
