import { broken, edit, type Mutation } from '../mutation.ts'
import { HOLD_SERVICE, IDLE_QUOTA, DECIDER, QUEUE, RELAY } from './files.ts'

/** Mutations of the quota that holds are given, rules 5 and 6. */
export const grantsMutations: readonly Mutation[] = [
  broken(
    '5',
    'nonce-again',
    'a repeated nonce opens another hold',
    edit(DECIDER, 'if (openHoldOf(state, command) !== undefined) return decided()', ''),
  ),
  broken(
    '5',
    'other-name',
    'holds are not named by revision',
    edit(DECIDER, 'holdId(account, nextRevision,', 'holdId(account, nextRevision + 1,'),
  ),
  broken(
    '5',
    'extension-again',
    'a repeated extension is granted again',
    edit(
      DECIDER,
      `if (number === hold.extension.number) return decided()
  if (number !== hold.extension.number + 1)`,
      'if (number > hold.extension.number + 1)',
    ),
  ),
  broken(
    '5',
    'same-relay',
    'a relay keeps its id over restarts',
    edit(RELAY, 'relayId(runtime.uuid())', 'relayId(name)'),
  ),
  broken(
    '6',
    'beyond-available',
    'granted beyond available',
    edit(DECIDER, 'if (ofAccount < need) return insufficientQuota(state)', ''),
  ),
  broken(
    '6',
    'beyond-token',
    'granted beyond the token',
    edit(DECIDER, 'if (isShort) return insufficientTokenQuota(token, ofToken)', ''),
  ),
  broken(
    '6',
    'disabled-token',
    'granted to a disabled token',
    edit(DECIDER, "if (token.status !== 'enabled') return refuse('token-not-active')", ''),
  ),
  broken(
    '6',
    'suspended',
    'granted to a suspended account',
    edit(
      DECIDER,
      `if (openHoldOf(state, command) !== undefined) return decided()
  if (state.status === 'suspended') return refuse('account-suspended')`,
      'if (openHoldOf(state, command) !== undefined) return decided()',
    ),
  ),
  broken(
    '6',
    'extended-suspended',
    'extended for a suspended account',
    edit(
      DECIDER,
      `return refuse('extension-out-of-order')
  if (state.status === 'suspended') return refuse('account-suspended')`,
      "return refuse('extension-out-of-order')",
    ),
  ),
  broken(
    '6',
    'no-recall',
    'no recall before a refusal',
    edit(
      HOLD_SERVICE,
      'const isReturned = await this.#idleQuota.callBack(account, wanting)',
      'const isReturned = false',
    ),
  ),
  broken(
    '6',
    'recall-unawaited',
    'a recall does not wait for what is returned',
    edit(
      IDLE_QUOTA,
      'await this.#untilArrived(awaited, given, until - this.#clock.monotonicMs())',
      '',
    ),
  ),
  broken(
    '6',
    'below-zero',
    'an account below zero starts what a relay has quota for',
    edit(HOLD_SERVICE, 'if (isBelowZero) await this.recallIdleQuota(account)', ''),
  ),
  broken(
    '6',
    'no-wait',
    'running requests are not waited for',
    edit(QUEUE, 'balance >= estimate', 'false'),
  ),
  broken(
    '6',
    'out-of-turn',
    'what comes free is offered to the newest first',
    edit(
      QUEUE,
      'of (this.#accounts.get(account) ?? []).slice()',
      'of (this.#accounts.get(account) ?? []).toReversed()',
    ),
  ),
  broken(
    '6',
    'no-last-question',
    'who waits is offered only what comes free in its own relay',
    edit(QUEUE, 'known === undefined && waiter.request.mayStart() ?', 'false ?'),
  ),
  broken(
    '6',
    'left-keeps',
    'quota that comes for one who has left is kept',
    edit(
      QUEUE,
      'if (first === undefined) drawn.reservation.release()\n    else first',
      'if (first !== undefined) first',
    ),
  ),
]
