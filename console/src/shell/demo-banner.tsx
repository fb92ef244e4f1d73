import { Box } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { useStatus } from '../core/status.ts'

/** Says that everything here is invented, when the server was started as a demonstration. */
export function DemoBanner() {
  const { t } = useTranslation()
  if (!useStatus()?.demo) return null
  return (
    <Box
      as="aside"
      bg="bg.warning"
      color="fg.warning"
      borderBottomWidth="1px"
      borderColor="border"
      px="4"
      py="1.5"
      textAlign="center"
      fontWeight="500"
    >
      {t('frame.demoBanner')}
    </Box>
  )
}
