import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { BusyButton, type BusyButtonProps } from './busy-button.tsx'

/** How long mails cannot be sent again (seeds, section 9). */
export const RESEND_SECONDS = 30

/** Seconds that are left until something may be done again, and how to begin them. */
export interface Countdown {
  /** 0 = it may be done. */
  readonly left: number
  readonly begin: () => void
}

/** Counts down whole seconds by the clock, so a page that slept in the background is right again at once. */
export function useCountdown(seconds: number = RESEND_SECONDS): Countdown {
  const [endsAt, setEndsAt] = useState(0)
  const [now, setNow] = useState(0)
  const left = Math.max(0, Math.ceil((endsAt - now) / 1000))
  const isRunning = left > 0
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isRunning])
  const begin = () => {
    const begun = Date.now()
    setNow(begun)
    setEndsAt(begun + seconds * 1000)
  }
  return { left, begin }
}

/** A button that says how long it is still locked. */
export function CountdownButton({
  left,
  label,
  ...rest
}: { left: number; label: string } & Omit<BusyButtonProps, 'children' | 'isLocked'>) {
  const { t } = useTranslation()
  return (
    <BusyButton {...rest} isLocked={left > 0} fontVariantNumeric="tabular-nums">
      {left > 0 ? t('countdown.locked', { label, seconds: left }) : label}
    </BusyButton>
  )
}
