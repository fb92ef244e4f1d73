import { useContext } from 'react'
import { useTranslation } from 'react-i18next'
import { Count } from './count.tsx'
import { WithoutHeader } from './quota.tsx'

/** How many charges: the number alone under a header, with its noun on a phone, where no header names it. */
export function Charges({ value }: { value: number }) {
  const { t } = useTranslation()
  const isWithoutHeader = useContext(WithoutHeader)
  if (!isWithoutHeader) return <Count value={value} />
  return t('table.charges', { count: value })
}
