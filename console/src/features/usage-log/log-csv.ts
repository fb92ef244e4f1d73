import type { Log } from '../../core/contract.ts'
import type { CsvValue } from '../../parts/csv.ts'
import { dateTime } from '../../parts/time-format.ts'
import { detailsOf, retryPath } from './log-details.ts'

/** The columns of the export, by the names of the API, so that programs can read it in any language. */
export const LOG_CSV_HEADER = [
  'id',
  'time',
  'unix',
  'type',
  'username',
  'token_name',
  'group',
  'channel',
  'channel_name',
  'model_name',
  'upstream_model_name',
  'is_stream',
  'prompt_tokens',
  'completion_tokens',
  'cache_tokens',
  'quota',
  'usd',
  'use_time',
  'retry',
  'content',
] as const

/** One row of the export, amounts exact in quota and in dollars. */
export function logCsvRow(log: Log, quotaPerUnit: number): CsvValue[] {
  const details = detailsOf(log)
  return [
    log.id,
    dateTime(log.created_at),
    log.created_at,
    log.type,
    log.username,
    log.token_name,
    log.group,
    log.channel,
    log.channel_name,
    log.model_name,
    details.upstream_model_name ?? '',
    log.is_stream,
    log.prompt_tokens,
    log.completion_tokens,
    details.cache_tokens ?? 0,
    log.quota,
    Number((log.quota / quotaPerUnit).toFixed(6)),
    log.use_time,
    retryPath(details),
    log.content,
  ]
}
