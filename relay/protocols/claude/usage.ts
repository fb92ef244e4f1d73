import type { JsonObject } from '../../json.ts'
import { readUsage, type ReportedUsage } from '../../metering/openai-usage.ts'

/** Reads a report whatever members it lacks: these tell whose it is. */
export const readClaudeUsage = (report: JsonObject | null): ReportedUsage =>
  readUsage(report === null ? null : { cache_read_input_tokens: 0, ...report }, [])
