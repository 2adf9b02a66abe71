import { Anchor, Button } from '@mantine/core';
import { createLink } from '@tanstack/react-router';

/** Mantine's looks, the router's navigation. */
export const AnchorLink = createLink(Anchor<'a'>);
export const ButtonLink = createLink(Button<'a'>);
