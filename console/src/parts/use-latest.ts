import type { RefObject } from 'react'
import { useEffect, useRef } from 'react'

/** The newest of a value, for handlers that have to stay the same function while the value changes. */
export function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  return latest
}
