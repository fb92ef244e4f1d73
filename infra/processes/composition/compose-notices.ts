import type { OutgoingFetch } from '@tollgate/command-api/http/outgoing-fetch.ts'
import { startNoticeDelivery } from '@tollgate/command-api/notifications/deliver-notices.ts'
import { noticeRows } from '@tollgate/command-api/notifications/notice-rows.ts'
import type { Notifier } from '@tollgate/command-api/notifications/notifier.ts'
import { notificationOutbox } from '@tollgate/command-api/notifications/outbox.ts'
import { quotaWarningRows } from '@tollgate/command-api/notifications/quota-warning-rows.ts'
import { recipientRows } from '@tollgate/command-api/notifications/recipient.ts'
import { noticeRoutes } from '@tollgate/command-api/notifications/routes.ts'
import { startQuotaWarnings } from '@tollgate/command-api/notifications/warn-of-low-quota.ts'
import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import type { ShareWork } from '@tollgate/domain/ports/leases.ts'
import { chargedAfter } from '@tollgate/projections/balances/charged.ts'
import { smtpMailer } from '../../mail/smtp-mailer.ts'
import type { Config } from '../config.ts'
import type { Engines } from '../engines/engines.ts'
import type { Identity } from './compose-identity.ts'
import type { ComposedLedger } from './compose-ledger.ts'
import type { Runtime } from '../runtime.ts'

/** Notices to users, composed: any other part with something to tell uses `notifier`. */
export interface ComposedNotices {
  readonly notifier: Notifier
  readonly routes: readonly ApiRoute[]
  stop(): Promise<void>
}

/** The parts of a process that notices need. */
export interface NoticesParts {
  readonly engines: Engines
  readonly identity: Identity
  readonly ledger: Pick<ComposedLedger, 'timelines'>
  readonly fetch: OutgoingFetch
  readonly shareWork: ShareWork
}

export function composeNotices(
  { noticeLimit }: Config,
  { clock, logger }: Runtime,
  {
    engines: { db, store },
    identity: { vault, options },
    ledger: { timelines },
    fetch,
    shareWork,
  }: NoticesParts,
): ComposedNotices {
  const table = noticeRows(db)
  const delivery = startNoticeDelivery({
    table,
    findRecipient: recipientRows(db, vault),
    mailer: smtpMailer({ options }),
    fetch,
    options,
    limit: noticeLimit,
    shareWork,
    clock,
    log: logger,
  })
  const warning = startQuotaWarnings({
    table: quotaWarningRows(db),
    chargedAfter: (...range) => chargedAfter(db, ...range),
    store,
    timelines,
    options,
    shareWork,
    clock,
    log: logger,
    onWarned: delivery.ring,
  })
  return {
    notifier: notificationOutbox(db, clock, delivery.ring),
    routes: noticeRoutes({ table, clock, onRetried: delivery.ring }),
    async stop() {
      await Promise.all([warning.stop(), delivery.stop()])
    },
  }
}
