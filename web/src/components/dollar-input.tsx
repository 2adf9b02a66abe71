import { NumberInput, type NumberInputProps } from '@mantine/core';

/** An amount that is not negative, as exact as amounts are stored. */
export const DollarInput = (props: NumberInputProps) => <NumberInput prefix="$" min={0} decimalScale={6} {...props} />;
