import { useTranslation } from 'react-i18next'
import { durationText } from './duration.ts'

/** Writes a span of milliseconds in the visitor's language. */
export function useDuration(): (milliseconds: number) => string {
  const { t } = useTranslation()
  return (milliseconds) => {
    const { name, ...numbers } = durationText(milliseconds)
    return t(`duration.${name}`, numbers)
  }
}
