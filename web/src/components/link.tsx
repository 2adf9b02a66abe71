import { Anchor, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

/**
 * A real link, so that it can be opened in a new tab; the type parameter of Button alone would still render a button.
 */
function ButtonAnchor(props: ButtonProps & Omit<ComponentProps<'a'>, keyof ButtonProps>) {
  return <Button component="a" {...props} />;
}

/** Mantine's styling with the router's navigation. */
export const AnchorLink = createLink(Anchor<'a'>);
export const ButtonLink = createLink(ButtonAnchor);
