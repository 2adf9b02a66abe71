/*
 * What is said to every process when a grant or an application changes (`Announcements`), for those that keep tokens which pay.
 */

/** Of whatever a user gave applications: what one of them was given may have been exchanged by another. */
export const grantsTag = (userId: number): string => `grants:${userId}`;
export const applicationTag = (id: number): string => `application:${id}`;
