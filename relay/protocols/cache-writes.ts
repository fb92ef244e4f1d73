import { isObject, type JsonObject } from '../json.ts'
import type { ModelRequest } from './model-request.ts'

/**
 * Reads from the `cache_control` of a request's parts for how long its provider is to cache them
 * (platform.claude.com/docs/en/build-with-claude/prompt-caching).
 */
export function cacheWritesIn(parts: readonly JsonObject[]): Pick<ModelRequest, 'cacheWrites'> {
  const controls = parts.map((part) => part['cache_control']).filter(isObject)
  if (controls.length === 0) return {}
  return { cacheWrites: controls.some(({ ttl }) => ttl === '1h') ? '1h' : '5m' }
}
