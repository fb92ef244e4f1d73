import type { ErrorComponentProps } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ErrorState } from '../parts/states.tsx'

/**
 * Stands in for a screen that broke, within the frame, so that every other screen is a click away. Trying again loads
 * the page afresh: what broke the screen may be an answer that is kept, or an old page's code.
 */
export function ScreenFailure({ error }: ErrorComponentProps) {
  const { t } = useTranslation()
  return (
    <ErrorState
      what={t('failure.screen')}
      error={error}
      onRetry={() => globalThis.location.reload()}
    />
  )
}
