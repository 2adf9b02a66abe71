/** Names beside `n` under which some servers take the number of images. */
export const imageCounts = [
  'num_images',
  'num_images_per_prompt',
  'num_outputs',
  'image_count',
  'batch_size',
  'samples',
];
