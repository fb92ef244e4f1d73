import { IconButton } from '@chakra-ui/react'
import { PartyPopper } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { notifySuccess } from '../parts/notify.tsx'

/** A greeting for one day of the year (seeds, navigation); a click says it aloud. */
export default function NewYear() {
  const { t } = useTranslation()
  const label = t('frame.newYear')
  return (
    <IconButton
      size="xs"
      variant="ghost"
      color="fg.warning"
      aria-label={label}
      data-hint={label}
      onClick={() => notifySuccess(`🎉 ${label}`)}
    >
      <PartyPopper size={15} />
    </IconButton>
  )
}
