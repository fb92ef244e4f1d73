import { chakra, Flex } from '@chakra-ui/react'
import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'

/** One of the values that were chosen, with a button that removes it. */
export function ChosenChip({ name, onRemove }: { name: string; onRemove: () => void }) {
  const { t } = useTranslation()
  return (
    <Flex
      as="li"
      align="center"
      gap="1"
      px="1.5"
      py="0.5"
      borderRadius="l1"
      bg="bg.muted"
      fontSize="xs"
      fontFamily="mono"
    >
      {name}
      <chakra.button
        type="button"
        cursor="pointer"
        aria-label={t('models.remove', { name })}
        onClick={onRemove}
      >
        <X size={12} />
      </chakra.button>
    </Flex>
  )
}
