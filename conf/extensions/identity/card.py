"""Icon and card as pixels, for phones and for previews of links."""

from PIL import Image, ImageDraw, ImageFont

from identity.mark import INK, LIGHT, SIDE, WEIGHT, bars
from vtj.show.measured import Array, Measured, number

WIDTH, HEIGHT = 1200, 630
"""What previews of links show."""
PAPER = "#ffffff"


def touch_icon(weights: Array, side: int = 180) -> Image.Image:
    """Return the mark on paper, as a phone's home screen shows it."""
    fine = 4 * side  # smooth edges: it is drawn larger than it is shown
    image = Image.new("RGB", (fine, fine), PAPER)
    draw = ImageDraw.Draw(image)
    scale = 0.76 * fine / SIDE
    for bar in bars(weights):
        left, high = 0.12 * fine + bar.x * scale, 0.12 * fine + bar.y * scale
        box = (left, high, left + bar.width * scale, high + bar.height * scale)
        draw.rounded_rectangle(box, bar.corner * scale, LIGHT[bar.role])
    return image.resize((side, side), Image.Resampling.LANCZOS)


def card(seen: Measured, name: str) -> Image.Image:
    """Return the card: the mark, what the site is about, and each weighted row of J."""
    image = Image.new("RGB", (2 * WIDTH, 2 * HEIGHT), PAPER)  # as fine as the icon's
    draw = ImageDraw.Draw(image)
    ink, weight = LIGHT[INK], LIGHT[WEIGHT]
    image.paste(touch_icon(seen.v, 300), (110, 60))
    draw.text((440, 210), name, ink, _font(144), "lm")
    draw.text((160, 490), "What y.backward(v) does in PyTorch", ink, _font(124), "lm")
    y = 660
    for i, (scale, row) in enumerate(zip(seen.v, seen.J, strict=True)):
        radius = 18 + 14 * i
        draw.ellipse((240 - radius, y - radius, 240 + radius, y + radius), weight)
        draw.text((620, y), f"{number(scale)} *", weight, _font(84), "rm")
        draw.text((690, y), _row(row), ink, _font(84), "lm")
        y += 124
    draw.line((160, y - 52, 1280, y - 52), ink, 6)
    draw.text((620, y + 44), "x.grad =", ink, _font(84), "rm")
    draw.text((690, y + 44), _row(seen.grad), weight, _font(96), "lm")
    return image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)


def _row(numbers: Array) -> str:
    return f"[ {',  '.join(map(number, numbers))} ]"


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)  # Pillow brings it
