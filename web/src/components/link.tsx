import { Anchor, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

/** A real link, so that it opens in a new tab too; the type parameter of Button alone would leave it a button. */
function ButtonAnchor(props: ButtonProps & Omit<ComponentProps<'a'>, keyof ButtonProps>) {
  return <Button component="a" {...props} />;
}

/** Mantine's looks, the router's navigation. */
export const AnchorLink = createLink(Anchor<'a'>);
export const ButtonLink = createLink(ButtonAnchor);
