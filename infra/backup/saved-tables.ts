/**
 * The tables of a backup: the log, and facts that no event has (who people are, what must stay secret, which work is
 * still to be done). In the order in which they can be filled. Everything else in the database is either derived from
 * these or lasts seconds.
 */
export const SAVED_TABLES = [
  'ledger.head',
  'ledger.events',
  'identity.users',
  'identity.setup',
  'identity.notifications',
  'identity.task_payloads',
  'identity.quota_watch',
  'identity.quota_warnings',
  'identity.adjustment_notes',
  'identity.token_addresses',
  'identity.posted_requests',
  'identity.used_signatures',
  'secrets.tokens',
  'secrets.channels',
  'secrets.options',
  'secrets.redemptions',
  'telemetry.channel_tests',
  'telemetry.channel_balances',
  'process_manager.checkpoint',
  'process_manager.pending',
] as const

export type SavedTable = (typeof SAVED_TABLES)[number]

/** Those of them that hold the log: empty, and not saved, where it lies elsewhere. */
export const LOG_TABLES: readonly SavedTable[] = ['ledger.head', 'ledger.events']

/** Tables or whole schemas of the source migrations that a backup leaves out, and why. A test wants all named. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'identity.sessions':
    'a session that was ended after the backup must not come back: people sign in again',
  'identity.email_codes': 'a code that was sent by e-mail is good for minutes',
  'identity.visitors': 'a sign-in that has begun is over within minutes',
  'audit.database': 'which database this is: the one that a backup is restored into is another',
  'audit.jobs': 'what became of audits of the last day: whoever wants to know asks again',
  replays: 'results that are made from the log: after a restore they are run again',
  'ledger.pair':
    'which log the database goes with: a restored one goes with the log in itself, under a new identity',
  'ledger.own_claims': 'claims to a log that lies elsewhere, which this backup does not have',
  'ledger.write_probe': 'says when a write was last tried',
  coordination: 'says which processes are alive, may do what, and let how much through just now',
}

export const isSavedTable = (name: string): name is SavedTable =>
  (SAVED_TABLES as readonly string[]).includes(name)
