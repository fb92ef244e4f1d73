import { Box, IconButton, Text } from '@chakra-ui/react'
import { CircleHelp } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { NoticeDialog } from '../../parts/notice-dialog.tsx'

/** The icon that shows how ratios become a price: a picture (seeds, pricing), with the same in words. */
export function RatioHelp() {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  const label = t('pricing.ratiosHelp')
  return (
    <>
      <IconButton
        size="2xs"
        variant="ghost"
        aria-label={label}
        data-hint={label}
        onClick={() => setOpen(true)}
      >
        <CircleHelp size={13} />
      </IconButton>
      {isOpen ? (
        <NoticeDialog title={label} onClose={() => setOpen(false)}>
          <Box bg="white" borderRadius="l2" p="2" mb="3">
            <img src="/ratio.svg" alt={t('pricing.ratiosPicture')} width="100%" />
          </Box>
          <Text>{t('pricing.ratiosHint')}</Text>
        </NoticeDialog>
      ) : null}
    </>
  )
}
