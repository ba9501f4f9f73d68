/** A choice among a few ways, each with a sentence about it. */
import { Group, Radio, SimpleGrid, Text } from '@mantine/core';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly title: string;
  readonly hint: string;
}

export interface RadioCardsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly Choice<Value>[];
  readonly onChoose: (value: Value) => void;
}

export function RadioCards<Value extends string>({
  label,
  value,
  choices,
  onChoose,
}: RadioCardsProps<Value>) {
  const choose = (text: string): void => {
    const chosen = choices.find((choice) => choice.value === text);
    if (chosen !== undefined) onChoose(chosen.value);
  };
  return (
    <Radio.Group label={label} value={value} onChange={choose}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mt={6}>
        {choices.map((choice) => (
          <Radio.Card key={choice.value} value={choice.value} p="sm">
            <Group gap="sm" wrap="nowrap" align="start">
              <Radio.Indicator size="xs" mt={3} />
              <div>
                <Text size="sm" fw={600}>
                  {choice.title}
                </Text>
                <Text size="sm" c="dimmed">
                  {choice.hint}
                </Text>
              </div>
            </Group>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}
