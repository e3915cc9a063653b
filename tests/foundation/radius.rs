//! What the radius of a derivative prints.

use dualbody::autodiff::{ChunkDual, gradient_with_radius_of};
use dualbody::{Decision, InvalidInput, Margin, Observer};

/// A decision says what to do where its radius is small against the input, and where it is taken at the very state.
#[test]
fn a_small_radius_says_what_to_do() -> Result<(), InvalidInput> {
    let printed = |x: f64, edge: f64| {
        let ramp = |observer: &Observer<ChunkDual>, x: &[ChunkDual]| {
            observer.show(&Decision {
                step: 3,
                time: 0.0,
                place: format_args!("ramp"),
                change: "end",
                unit: "m",
                margin: Margin::Sign(x[0] - edge),
            });
            Ok::<_, InvalidInput>(x[0])
        };
        let found = gradient_with_radius_of(ramp, &[x])?;
        Ok::<_, InvalidInput>(found.nearest[0].as_ref().map(ToString::to_string))
    };
    let only = |text: &str| Some(text.to_owned());
    assert_eq!(
        printed(2.0, 2.5)?,
        only("step 3: ramp, end, 5.000e-1 m away")
    );
    for x in [0.0, 0.25] {
        assert_eq!(
            printed(x, x + 2f64.powi(-17))?,
            only(
                "step 3: ramp, end, 7.629e-6 m away; the derivative holds for ± 7.6e-6 only: \
                 `averaged_gradient` has the slope over a width"
            )
        );
        assert_eq!(
            printed(x, x)?,
            only(
                "step 3: ramp, end, 0.000e0 m away; it is decided at this very state, and the derivative is that of \
                 one side: `averaged_gradient` has the slope over a width"
            )
        );
    }
    Ok(())
}
